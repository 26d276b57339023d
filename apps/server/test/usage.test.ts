import { describe, expect, it } from 'vitest';
import { applicationText, inFolder, waymark } from './command-line.ts';

describe('the command line', () => {
  it.each([
    [['--help'], 0, /dev[\s\S]*start[\s\S]*keygen/],
    [['start', '--help'], 0, /--port/],
    [[], 2, /USAGE/],
    [['sart'], 2, /unknown command "sart"; did you mean "start"\?/],
    [['start', '--prot', '1'], 2, /unknown option "--prot"; did you mean "--port"\?/],
    [['start', '--port', 'http'], 2, /--port http is not a number/],
    [['start', 'nowhere.ts'], 2, /there is no file nowhere\.ts/],
    [['start'], 2, /no file is named, and there is none of application\.ts/],
    [['start', '-p', '1'], 2, /unknown option "-p"/],
    [['keygen', '--env', 'MY KEY'], 2, /"MY KEY" is not the name of a variable/],
    [['keygen'], 0, /^API_KEY=wm_[\w-]{43}\n$/],
    [['keygen', '--env', 'MY_KEY'], 0, /^MY_KEY=wm_[\w-]{43}\n$/],
  ] as const)('answers %j with exit code %i', async (argv, code, words) => {
    inFolder(argv[1] === '--port' ? { 'application.ts': applicationText('') } : {});
    const said = await waymark(...argv);
    expect(said.code).toBe(code);
    expect(said.out + said.err).toMatch(words);
  });

  it('says what is missing when a file exports no application', async () => {
    inFolder({ 'application.ts': 'export const other = 1;\n' });
    const { code, err } = await waymark('start');
    expect(code).toBe(2);
    expect(err).toContain('exports no application; write: export const application = createApplication');
  });
});
