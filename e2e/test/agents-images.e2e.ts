import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { thinking } from './agents-application.ts';
import { picture } from './hub-pictures.ts';

const mb = 1_048_576;

it.each([
  [[5 * mb, 5 * mb, 5 * mb, 5 * mb - 1], 200],
  [[5 * mb, 5 * mb, 5 * mb, 5 * mb], 200],
  [[5 * mb, 5 * mb, 5 * mb, 5 * mb - 32, 33], 422],
])('pictures may have 20 MB together: %j are %i', async (sizes, status) => {
  verifies('image.input.size');
  // The other service takes no picture whose base64 is over 5 MB.
  const { ask, simulator } = await thinking((app) => void app.agent('guard', { maxImages: 5 }), {
    format: 'openai',
  });
  const images = sizes.map((bytes) => ({
    media_type: 'image/png',
    data: picture(bytes).toString('base64'),
  }));
  const answered = await ask('guard', { input: '[[images]]', images });
  expect(answered.status, answered.text.slice(0, 300)).toBe(status);
  if (status === 422) expect(simulator.requests).toEqual([]);
  else for (const bytes of sizes) expect(answered.value.output).toContain(`${bytes} bytes`);
});
