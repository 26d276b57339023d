import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inFolder, type Printed, waymark } from './command-line.ts';
import { writeLobby, writePictures } from './watched-lobby.ts';

/** A folder with the application and its pictures, the working directory until the test is over. */
function lobby(given: Parameters<typeof writeLobby>[1] = {}): void {
  vi.stubEnv('ANTHROPIC_API_KEY', '');
  inFolder();
  writeLobby('.', given);
  writePictures('frames');
}

type Row = Readonly<Record<string, unknown>>;

/** What `--json` printed. */
function rows({ out }: Printed): readonly Row[] {
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** Starts a simulator that the application knows as a provider, and asks by itself. */
async function ownSimulator() {
  const simulator = await startSimulator({ anonymous: true });
  onTestFinished(simulator.close);
  const more = `application.provider('mine', '${simulator.url}', { kind: 'anthropic' }).models({ own: 'mine/some-model' });`;
  return { simulator, more };
}

const toFail = { err: expect.any(String) as string, out: '', code: 2 };

describe('waymark watch --dry-run', () => {
  it('shows each picture of a folder by name, and lists what would have been called', async () => {
    verifies('cli.watch', 'cli.watch.calls', 'cli.watch.change', 'cli.watch.nobody');
    lobby();
    const { code, out, err } = await waymark('watch', 'lobby_watch', '--dry-run', 'frames');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const calls = [
      '  would ask a human for open_door {"id":1}',
      '  would call light {"on":true}',
      '  would be refused, for it lacks a scope: bell {}',
    ];
    const look = (name: string): unknown =>
      expect.stringMatching(
        new RegExp(`^frames/${name}  \\d+ (B|KB)  \\d+\\.\\d s  [\\d,]+ tokens  \\$0\\.\\d+  A ball\\.$`),
      );
    expect(out.trimEnd().split('\n')).toEqual([
      'dry run of lobby_watch: agent guard on lobby, with the simulator, in place of anthropic/claude-haiku-4-5-20251001',
      'not read, since it is a dry run: rows, today',
      ...[look('1.png'), ...calls],
      expect.stringMatching(/^frames\/2\.png {2}\d+ (B|KB) {2}unchanged, skipped$/),
      ...[look('10.png'), ...calls],
      ...[look('11.JPG'), ...calls],
      expect.stringMatching(/^4 frames: 3 runs, 1 skipped, 0 failed; [\d,]+ tokens, \$0\.\d+$/),
      expect.stringMatching(/^\$0\.\d+ a run; every 15 s, 240 runs an hour at most: \$/),
      expect.stringMatching(/^maxCostPerDay is \$1\.00: /),
      'these are the tokens of the simulator; a real model counts its own',
    ]);
    // Neither a tool, nor a context that is code, nor the database.
    expect([existsSync('called'), existsSync('never.db')]).toEqual([false, false]);
  });

  it('asks the model with system prompt, picture and reading, and tells it of what was not read or called', async () => {
    verifies('cli.watch', 'cli.watch.model', 'cli.watch.nobody');
    const { simulator, more } = await ownSimulator();
    lobby({ more });
    writeFileSync('readings.json', '[{"lux":3},{"lux":4},{"lux":4},7]');
    const said = await waymark(
      ...[
        'watch',
        'lobby_watch',
        '--dry-run',
        'frames',
        '--telemetry',
        'readings.json',
        '--model',
        'own',
        '--json',
      ],
    );
    const [head, ...looks] = rows(said);
    expect(head).toEqual({
      type: 'watcher',
      ...{ watcher: 'lobby_watch', agent: 'guard', device: 'lobby' },
      ...{ model: 'mine/some-model', simulated: false, unread: ['rows', 'today'] },
    });
    // Another reading is a change, over the same picture.
    expect(looks.slice(0, 4).map(({ file, status }) => [file, status])).toEqual([
      ['frames/1.png', 'completed'],
      ['frames/2.png', 'completed'],
      ['frames/10.png', 'completed'],
      ['frames/11.JPG', 'completed'],
    ]);
    expect(looks[0]?.['calls']).toEqual([
      { tool: 'open_door', arguments: { id: 1 }, would: 'ask' },
      { tool: 'light', arguments: { on: true }, would: 'call' },
      { tool: 'bell', arguments: {}, would: 'refuse' },
    ]);
    // Two questions for each: the second with what came of the calls.
    expect(simulator.requests).toHaveLength(8);
    const [asked, answered] = simulator.requests.map(({ body }) => JSON.stringify(body));
    expect(asked).toContain('You look through a camera.');
    expect(asked).toContain(String.raw`\n\n{\"lux\":3}`);
    expect(asked).toContain('image/png');
    expect(asked).toContain('The house has two doors.');
    expect(asked).toContain('not read: this is a dry run');
    expect(answered?.match(/this is a dry run: the tool was not called/g)).toHaveLength(3);
    expect(JSON.stringify(simulator.requests[6]?.body)).toMatch(
      /image\/jpeg.*\{\\"value\\":7\}|\{\\"value\\":7\}.*image\/jpeg/,
    );
    expect(existsSync('called')).toBe(false);
  });

  it('posts and publishes nothing, and follows an agent that hands over', async () => {
    verifies('cli.watch.nobody', 'cli.watch.model');
    let posts = 0;
    const receiver = createServer((_, response) => {
      posts++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    lobby({
      more: `application.agent('chief', { model: 'default', system: 'You know every ball.', tools: ['light'], scopes: ['look'], context: ['today'] });
application.agent('porter', { model: 'fast', scopes: ['look'], handoffs: ['chief'] });
application.watch('posted', { device: 'lobby', agent: 'porter', scopes: ['look'], webhook: 'http://127.0.0.1:${port}/', input: '[[call transfer_to_chief {"reason":"a ball"}]] [[echo system]]' });`,
    });
    const said = await waymark('watch', 'posted', '--dry-run', 'frames/1.png', '--json');
    const [head, look] = rows(said);
    expect(head).toMatchObject({ simulated: true, unread: ['today'] });
    expect(look).toMatchObject({ status: 'completed', calls: [] });
    expect(look?.['output']).toContain('You know every ball.');
    expect([posts, existsSync('called')]).toEqual([0, false]);
  });

  it('says what that would cost in an hour and a day, against what may be spent', async () => {
    verifies('cli.watch.cost');
    lobby();
    const looks = rows(await waymark('watch', 'lobby_watch', '--dry-run', 'frames', '--json'));
    const sum = looks.at(-1) as Row & { readonly cost_usd: number; readonly cost_per_run: number };
    const costs = looks.flatMap(({ cost_usd: cost, type }) =>
      type === 'frame' && cost !== undefined ? [Number(cost)] : [],
    );
    expect(costs).toHaveLength(3);
    expect(costs.every((cost) => cost > 0)).toBe(true);
    expect(sum).toMatchObject({ type: 'summary', frames: 4, runs: 3, skipped: 1, failed: 0, left: 0 });
    expect(sum).toMatchObject({ every: 15, max_runs_per_hour: 240, max_cost_per_day: 1, runs_per_hour: 240 });
    expect(sum.cost_usd).toBeCloseTo(
      costs.reduce((all, one) => all + one, 0),
      6,
    );
    expect(sum.cost_per_run).toBeCloseTo(sum.cost_usd / 3, 5);
    expect(sum['cost_per_hour']).toBeCloseTo((sum.cost_usd / 3) * 240, 3);
    expect(sum['cost_per_day']).toBeCloseTo((sum.cost_usd / 3) * 240 * 24, 2);
    expect(sum['hours_to_max_cost']).toBeCloseTo(1 / ((sum.cost_usd / 3) * 240), 3);
  });

  it('says which price is missing', async () => {
    verifies('cli.watch.cost');
    const { more } = await ownSimulator();
    lobby({ more });
    const { out, code } = await waymark(
      'watch',
      'lobby_watch',
      '--dry-run',
      'frames/1.png',
      '--model',
      'own',
    );
    expect(code).toBe(0);
    expect(out).toContain('tokens  no price  A ball.');
    expect(out).toContain(
      "mine/some-model has no price: app.pricing('mine/some-model', input, output) declares it",
    );
  });

  it('shows the readings of a sensor, one by one', async () => {
    verifies('cli.watch', 'cli.watch.change');
    lobby();
    writeFileSync('readings.json', '[1, 1, {"b":1,"a":2}, {"a":2,"b":1}]');
    const said = await waymark('watch', 'warm_watch', '--dry-run', '--telemetry', 'readings.json', '--json');
    const looks = rows(said).filter(({ type }) => type === 'frame');
    expect(looks.map(({ file, bytes, status }) => [file, bytes, status])).toEqual([
      ['reading 1', null, 'completed'],
      ['reading 2', null, 'skipped'],
      ['reading 3', null, 'completed'],
      ['reading 4', null, 'skipped'],
    ]);
    expect(looks[0]?.['output']).toContain('{\\"value\\":1}');
  });

  it('ends with 1 when a run failed, says why, and goes on', async () => {
    verifies('cli.watch', 'cli.exit-codes');
    lobby({ input: '[[error 400 no eyes]]' });
    const { code, out } = await waymark(
      'watch',
      'lobby_watch',
      '--dry-run',
      'frames',
      '--model',
      'simulator',
    );
    expect(code).toBe(1);
    expect(out).toMatch(/frames\/1\.png .* failed\n {2}provider .*400/);
    expect(out).toContain('4 frames: 3 runs, 1 skipped, 3 failed; ');
    // Of what failed nobody knows what it would cost.
    expect(out).not.toContain('a run; every');
  });

  it.each([
    [['nobody.png'], 'there is no file nobody.png'],
    [
      ['frames/1.png', 'frames/notes.txt'],
      'frames/notes.txt: a frame is a PNG, JPEG, GIF or WebP, and these bytes are none',
    ],
    [['frames', 'frames/notes.txt'], 'frames/notes.txt: a frame is a PNG'],
    [['empty.png'], 'empty.png: the frame is empty'],
    [['cut.png'], 'cut.png: the header of the picture is cut off'],
    [['nothing'], 'there is no picture in nothing'],
    [[], 'name pictures, folders of them, or --telemetry'],
    [['frames', '--telemetry', 'frames/notes.txt'], 'frames/notes.txt is not JSON'],
    [['frames', '--telemetry', 'three.json'], 'three.json has 3 readings for 4 frames'],
    [['--telemetry', 'none.json'], 'none.json has no reading'],
    [['--telemetry', 'nowhere.json'], 'cannot read nowhere.json'],
    [
      ['frames', '--telemetry', 'infinite.json'],
      'reading 1: the reading holds a number that JavaScript does not keep',
    ],
    [['frames', '--model', 'nobody'], 'unknown model "nobody"'],
    [['frames', '--model', 'fast'], 'the model "fast" has no key: set ANTHROPIC_API_KEY, or take simulator'],
    [['frames', '--modle', 'fast'], 'unknown option "--modle"; did you mean "--model"?'],
    [['frames', '--file', 'nowhere.ts'], 'there is no file nowhere.ts'],
  ])('ends with 2 before anybody is asked: %j', async (argv, words) => {
    verifies('cli.watch.inputs', 'cli.exit-codes');
    lobby();
    inFiles();
    const said = await waymark('watch', 'lobby_watch', '--dry-run', ...argv);
    expect(said).toEqual(toFail);
    expect(said.err).toContain(words);
  });

  it.each([
    ['lobby_wach', 'unknown watcher "lobby_wach"; did you mean "lobby_watch"?'],
    ['warm_watch', 'frames/1.png: "thermo" is a sensor: it takes no pictures'],
    ['porch_watch', 'frames/1.png: a frame has 100 bytes at most'],
  ])('says what is wrong with watcher %s', async (name, words) => {
    verifies('cli.watch.inputs', 'cli.nearest');
    lobby();
    const said = await waymark('watch', name, '--dry-run', 'frames');
    expect(said).toEqual(toFail);
    expect(said.err).toContain(words);
  });

  it('says where watchers are that run, without --dry-run', async () => {
    verifies('cli.watch.inputs');
    lobby();
    const said = await waymark('watch', 'lobby_watch', 'frames');
    expect(said).toEqual(toFail);
    expect(said.err).toContain('GET {prefix}/watchers');
  });

  it('ends with 78 when the watcher could not start its agent', async () => {
    verifies('cli.exit-codes');
    lobby({ more: `application.watch('mute', { device: 'lobby', agent: 'gard', scopes: ['look'] });` });
    const said = await waymark('watch', 'mute', '--dry-run', 'frames');
    expect(said.code).toBe(78);
    expect(said.err).toContain('unknown agent "gard"');
    // What is wrong with another watcher is not asked.
    expect((await waymark('watch', 'lobby_watch', '--dry-run', 'frames/1.png')).code).toBe(0);
  });
});

/** What cannot be shown. */
function inFiles(): void {
  writePictures('nothing/deeper');
  writeFileSync('empty.png', '');
  writeFileSync('cut.png', Buffer.from('89504e470d0a1a0a', 'hex'));
  writeFileSync('three.json', '[1, 2, 3]');
  writeFileSync('none.json', '[]');
  writeFileSync('infinite.json', '1e400');
}
