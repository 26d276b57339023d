import type { Fence, OpCommit, RunFinish, RunRecord, RunStore } from '@waymark/contract/stores';
import { expect, it } from 'vitest';
import { noticedStore } from '../src/noticed-store.ts';

/** As much of a store as there is to notice, with a state of its own that only its methods reach. */
class SomeStore {
  readonly #answer = 'done';
  #say = async (): Promise<string> => this.#answer;
  start = this.#say;
  commit(): Promise<string> {
    return this.#say();
  }
  decide(): Promise<string> {
    return this.#say();
  }
  expire(): Promise<string> {
    return this.#say();
  }
  cancel(): Promise<string> {
    return this.#say();
  }
  async finish(): Promise<string> {
    throw new Error('locked');
  }
  list(): Promise<string> {
    return this.#say();
  }
}

it('tells of each write that may change a count, before whoever made it goes on, and of no other', async () => {
  let told = 0;
  // The methods answer a word, which nobody here looks at but this test.
  const store = noticedStore(new SomeStore() as unknown as RunStore, () => told++);
  const fence: Fence = { rootId: 'r1', epoch: 1, wakes: 0 };
  const commit = (more: Partial<OpCommit>) => store.commit(fence, { ops: [], ...more });
  const tells = async (work: Promise<unknown>): Promise<unknown> => {
    const before = told;
    const answer = await work.catch(String);
    return [answer, told - before];
  };
  expect(await tells(store.start({} as RunRecord, 'p', 1))).toEqual(['done', 1]);
  expect(await tells(store.decide('a', { status: 'denied', note: '', by: 'b' }))).toEqual(['done', 1]);
  expect(await tells(store.expire())).toEqual(['done', 1]);
  expect(await tells(store.cancel('r1'))).toEqual(['done', 1]);
  expect(await tells(commit({ approvals: [] }))).toEqual(['done', 1]);
  // What fails may have been written all the same.
  expect(await tells(store.finish(fence, {} as RunFinish))).toEqual(['Error: locked', 1]);
  expect(await tells(commit({}))).toEqual(['done', 0]);
  expect(await tells(store.list({ limit: 1 }))).toEqual(['done', 0]);
});
