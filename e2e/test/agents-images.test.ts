import { createHash } from 'node:crypto';
import { verifies } from '@waymark/contract/testing';
import { type Application, image } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { callers, messagesOf, thinking } from './agents-application.ts';
import { picture, pixels } from './hub-pictures.ts';

const mb = 1_048_576;

/** @param onMove what the tool `move` does */
const watching = (app: Application, onMove = async (): Promise<void> => {}): void => {
  app
    .post('/move', { tool: true, toolName: 'move', scopes: ['read'], summary: 'Goes on.' }, async () => {
      await onMove();
      return 'moved';
    })
    .camera('door', { description: 'the front door', maxFps: 1000 })
    .get('/chart', { tool: true, toolName: 'chart', scopes: ['read'], summary: 'Draws.' }, () => ({
      drawn: image(Buffer.from(pixels['image/gif'], 'base64')),
    }))
    .agent('guard', { tools: ['door_snapshot', 'chart', 'move'], scopes: ['devices:read', 'read'] })
    .agent('forgetful', { tools: ['door_snapshot', 'move'], scopes: ['devices:read', 'read'], maxImages: 1 });
};

/** A picture of exactly so many bytes, as an agent is given it. */
const given = (bytes = 33) => ({ media_type: 'image/png', data: picture(bytes).toString('base64') });
const one = { media_type: 'image/png', data: pixels['image/png'] };

/** What the simulator saw when it was told to say so: how many, then type, size and digest of each. */
const seenIn = (output: string): readonly string[] => output.match(/image\/\w+/g) ?? [];

describe('pictures given to an agent over HTTP', () => {
  it('are seen by the model, each type for what it is, before the words', async () => {
    verifies('image.input.inline', 'image.input.sniffed');
    const { ask, simulator } = await thinking((app) => watching(app));
    const images = Object.values(pixels).map((data) => ({ media_type: 'image/png', data }));
    const { status, value } = await ask('guard', { input: '[[images]]', images });
    expect([status, value.status]).toEqual([200, 'completed']);
    expect(seenIn(value.output)).toEqual(Object.keys(pixels));
    const [asked] = messagesOf(simulator);
    expect(asked?.content.map(({ type }) => type)).toEqual([...Array<string>(4).fill('image'), 'text']);
  });

  it.each([
    [15, 200],
    [16, 200],
    [17, 422],
  ])('may be 16: %i are %i', async (count, status) => {
    verifies('image.input.count');
    const { ask, simulator } = await thinking(
      (app) => void app.agent('album', { public: true, maxImages: 16 }),
    );
    const answered = await ask('album', { input: '[[images]]', images: Array(count).fill(one) });
    expect(answered.status).toBe(status);
    expect(simulator.requests).toHaveLength(status === 200 ? 1 : 0);
    if (status === 200) expect(seenIn(answered.value.output)).toHaveLength(count);
  });

  it('are inline only, and pictures: anything else is 422 and asks no model', async () => {
    verifies('image.input.inline', 'aside.images.no-urls', 'image.input.sniffed');
    const { ask, simulator } = await thinking((app) => watching(app));
    const wrong = [
      { url: 'http://169.254.169.254/latest/meta-data/' },
      { media_type: 'image/png', url: 'https://example.com/a.png' },
      { media_type: 'image/png', data: 'https://example.com/a.png' },
      { media_type: 'image/png', data: 'data:image/png;base64,AAAA' },
      { media_type: 'image/png', data: Buffer.from('<svg onload=1>').toString('base64') },
      { media_type: 'image/png', data: Buffer.from('%PDF-1.7 ....').toString('base64') },
    ];
    for (const image of wrong) {
      const { status, value } = await ask('guard', { input: 'Look.', images: [one, image] });
      expect(status, JSON.stringify(image)).toBe(422);
      expect(value.errors?.[0]?.path).toMatch(/^\/images\/1/);
    }
    expect(simulator.requests).toEqual([]);
  });

  it.each([
    [5 * mb - 1, 200],
    [5 * mb, 200],
    [5 * mb + 1, 422],
  ])('may have 5 MB each: %i bytes are %i', async (bytes, status) => {
    verifies('image.input.size');
    // The other service takes no picture whose base64 is over 5 MB.
    const { ask, simulator } = await thinking((app) => watching(app), { format: 'openai' });
    const answered = await ask('guard', { input: '[[images]]', images: [given(bytes)] });
    expect(answered.status).toBe(status);
    if (status === 422) expect(simulator.requests).toEqual([]);
    else expect(answered.value.output).toContain(String(bytes));
  });
});

/** A frame that differs from all others, and the digest by which the simulator names it. */
function frame(n: number): { readonly bytes: Buffer; readonly digest: string } {
  const bytes = picture(33, 640 + n);
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
}

const digestsIn = (output: string): readonly string[] =>
  [...output.matchAll(/sha256:(\w+)/g)].map(([, digest = '']) => digest);

async function show({ url }: { readonly url: string }, bytes: Buffer): Promise<void> {
  const headers = { 'x-api-key': callers.ANN_KEY, 'content-type': 'image/png' };
  const body = new Uint8Array(bytes);
  expect((await fetch(`${url}/devices/door/frames`, { method: 'POST', headers, body })).status).toBe(202);
}

describe('an agent with the snapshot tool of a camera', () => {
  it('sees the picture that the camera has now', async () => {
    verifies('device.snapshot.image');
    const app = await thinking((app) => watching(app));
    for (const n of [1, 2]) {
      const { bytes, digest } = frame(n);
      await show(app, bytes);
      const { value } = await app.ask('guard', '[[call door_snapshot {}]] [[images]]');
      expect(digestsIn(value.output)).toEqual([digest]);
    }
  });

  it.each([
    ['guard', 4],
    ['forgetful', 1],
  ])('has the newest of six in its context: %s has %i', async (agent, kept) => {
    verifies('device.snapshot.max-images', 'image.max-images.default', 'agent.option.max-images');
    let moves = 0;
    const app = await thinking((one) => watching(one, () => show(app, frame(++moves).bytes)));
    const turns = Array(6).fill('[[calls move {}, door_snapshot {}]]').join(' ');
    const { value } = await app.ask(agent, `${turns} [[images]]`);
    const digests = [1, 2, 3, 4, 5, 6].map((n) => frame(n).digest);
    expect(digestsIn(value.output)).toEqual(digests.slice(-kept));
    expect(value.usage['images_dropped']).toBe(6 - kept);
  });

  it('keeps the newest from turn to turn of a session', async () => {
    verifies('device.snapshot.max-images');
    const app = await thinking((app) => watching(app));
    for (const n of [1, 2, 3, 4, 5]) {
      await show(app, frame(n).bytes);
      const input = '[[call door_snapshot {}]] [[images]]';
      const { value } = await app.ask('guard', { input, session_id: 's' });
      const digests = [1, 2, 3, 4, 5].map((one) => frame(one).digest);
      expect(digestsIn(value.output)).toEqual(digests.slice(Math.max(0, n - 4), n));
    }
  });
});
