import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { thinking } from './agents-application.ts';
import { picture } from './hub-pictures.ts';

const images = [{ media_type: 'image/png', data: picture(200_000).toString('base64') }];
const text = 'x'.repeat(100_000);

it('what came of a run is told, although its input is too large to be kept', async () => {
  verifies('run.for-caller', 'run.values.large');
  const input = { text: Type.String() };
  const desk = await thinking((app) =>
    app
      .agent('desk', { scopes: ['read'], description: 'Answers.' })
      .flow('copy', {
        pipeline: [{ tool: 'desk', input: { input: '[[say Copied.]]' } }],
        ...{ scopes: ['read'], description: 'Asks the desk.', inputSchema: input },
      })
      .behaviour(
        'count',
        { scopes: ['read'], description: 'Counts.', input },
        async (_, given) => given.text.length,
      ),
  );
  const said = await desk.ask('desk', { input: '[[say Yes.]]', images });
  const copied = await desk.send('/flows/copy', { text });
  const counted = await desk.send('/behaviours/count', { text });
  expect([said.status, copied.status, counted.status]).toEqual([200, 200, 200]);

  const listed = JSON.parse((await desk.send('/_svc/runs')).text).runs;
  const runIds = new Map<string, string>(
    listed.map((run: { name: string; run_id: string }) => [run.name, run.run_id]),
  );
  const read = async (path: string) => {
    const { status, text } = await desk.send(`${path}/runs/${runIds.get(path.split('/').at(-1) ?? '')}`);
    return [status, JSON.parse(text)];
  };
  expect(await read('/agents/desk')).toEqual([200, said.value]);
  expect(await read('/flows/copy')).toEqual([200, copied.value]);
  expect(await read('/behaviours/count')).toEqual([200, text.length]);
});
