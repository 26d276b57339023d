import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { movingPicture } from '../example/moving-picture.ts';
import { applicationText } from './command-line.ts';

/** A JPEG of a single pixel, as an encoder writes it. */
const pixel =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=';

/** Pictures by name: two that are the same, another, and one of another type. */
export function writePictures(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const [one, other] = [movingPicture(0), movingPicture(2_000)];
  const pictures = { '1.png': one, '2.png': one, '10.png': other, '11.JPG': Buffer.from(pixel, 'base64') };
  for (const [name, bytes] of Object.entries(pictures)) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'notes.txt'), 'no picture');
}

/** Writes an application with a watcher that would call tools of every kind; whatever is called leaves a file behind. */
export function writeLobby(folder: string, { input = say, more = '' } = {}): void {
  const file = join(folder, 'application.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lobby(input, more));
}

const say =
  '[[say I look.]] & [[call open_door {"id":1}]] & [[call light {"on":true}]] & [[call bell {}]] [[say A ball.]]';

function lobby(input: string, more: string): string {
  const tool = (path: string, options: string): string =>
    `application.post('/${path}', { tool: true, toolName: '${path}', ${options} }, () => call('${path}'));\n`;
  return applicationText(
    `import { writeFileSync } from 'node:fs';
const call = (name) => writeFileSync(import.meta.dirname + '/called', name);
application.apiKey('KEY_THAT_IS_NOT_SET', 'boss', { scopes: ['look', 'ring'] });
application.camera('lobby').camera('porch', { maxFrameBytes: 100 }).sensor('thermo');
application.pricing('claude-haiku-4-5-20251001', 1, 5, { cacheReadPerMtok: 1, cacheWritePerMtok: 1 });
${tool('open_door', `input: { id: Type.Integer() }, scopes: ['look'], approval: 'required'`)}
${tool('light', `input: { on: Type.Boolean() }, scopes: ['look']`)}
${tool('bell', `scopes: ['ring']`)}
application.context('rows', { sql: 'select 1 as one' }).context('today', () => call('today'));
application.add({ name: 'eager', routes: [], start: () => call('start'), ready: () => call('ready') });
application.context('house', { data: 'The house has two doors.' });
application.agent('guard', {
  model: 'fast', system: 'You look through a camera.', tools: ['open_door', 'light', 'bell'],
  scopes: ['look', 'ring'], exposeScopes: ['look'], context: ['rows', 'today', 'house'],
});
application.watch('lobby_watch', {
  device: 'lobby', agent: 'guard', scopes: ['look'], every: 15, maxRunsPerHour: 240, maxCostPerDay: 1,
  input: ${JSON.stringify(input)}, webhook: 'https://nowhere.invalid/', webhookSecretEnv: 'SECRET_THAT_IS_NOT_SET',
});
application.watch('warm_watch', { device: 'thermo', agent: 'guard', scopes: ['look'], input: '[[echo messages]]' });
application.watch('porch_watch', { device: 'porch', agent: 'guard', scopes: ['look'] });
${more}`,
    `{ database: 'sqlite://' + import.meta.dirname + '/never.db' }`,
  );
}
