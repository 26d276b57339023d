import { readdirSync, readFileSync } from 'node:fs';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { inFolder, waymark } from './command-line.ts';

describe('waymark new', () => {
  it('writes what npm create waymark does, and says the same', async () => {
    verifies('cli.new');
    inFolder();
    expect(await waymark('new', 'my desk/Support', '--template', 'data')).toEqual({
      code: 0,
      err: '',
      out: `my desk/Support is ready. Next:

  cd 'my desk/Support' && npm install
  npm run dev
  npx waymark call create_notes --text "Water the plants" --as editor    # in another terminal, in that folder
`,
    });
    expect(readFileSync('my desk/Support/application.ts', 'utf8')).toContain(`createApplication('support'`);
  });

  it('tells programs what it wrote', async () => {
    inFolder();
    const { out } = await waymark('new', 'desk', '--json');
    expect(JSON.parse(out)).toMatchObject({
      folder: 'desk',
      template: 'minimal',
      files: expect.arrayContaining(['application.ts', '.gitignore']) as string[],
      // The folder is in a repository.
      git: false,
      next: ['cd desk && npm install', 'npm run dev', expect.stringContaining('greet') as string],
    });
  });

  it.each([
    [['_desk'], 2, '"_desk" cannot be the name of a package'],
    [
      ['desk', '--template', 'minimum'],
      2,
      'unknown template "minimum"; did you mean "minimal"? there are: minimal, agent, camera, data',
    ],
    [['desk', '--source', '.'], 2, 'there is no waymark-server-<version>.tgz in .'],
    [[''], 2, 'the name of the folder is empty'],
    [[], 2, 'FOLDER'],
    [['/proc/none/desk'], 1, 'the folder /proc/none/desk cannot be made'],
  ])('says what is wrong with %j, and writes nothing', async (argv, code, words) => {
    inFolder();
    const said = await waymark('new', ...argv);
    expect(said).toMatchObject({ code, err: expect.stringContaining(words) as string });
    expect(readdirSync('.')).toEqual([]);
  });
});
