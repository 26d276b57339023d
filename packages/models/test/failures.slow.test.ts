import { ModelError, type ModelReply } from '@waymark/contract/models';
import { describe, expect, it } from 'vitest';
import type { Post } from '../src/index.ts';
import { openDesk } from './desk.ts';

/** The error of a question. */
async function errorOf(reply: Promise<ModelReply>): Promise<ModelError> {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

describe('a provider that hangs in the words of an error', () => {
  it('is not listened to for long', async () => {
    let discarded = () => {};
    const post: Post = async () => ({
      status: 500,
      headers: {},
      read: () => new Promise((_resolve, reject) => (discarded = () => reject(new Error('discarded')))),
      discard: () => discarded(),
    });
    const desk = await openDesk({ post, retries: 0 });
    const asked = await errorOf(desk.ask({ text: 'hi' }));
    expect(asked.message).toContain('(500)');
  });
});
