import { expect, it } from 'vitest';
import type { Target } from '../src/cli/call/target.ts';
import { findTourKey } from '../src/cli/tour/find-tour-key.ts';
import { inFolder } from './command-line.ts';

const key = 'wm_a-key-of-this-machine-alone';

/** A server that lets nobody in but who shows the key, and what it was shown. */
function server(url: string): { readonly target: Target; readonly shown: readonly unknown[] } {
  const shown: unknown[] = [];
  const target: Target = {
    ...{ url, controlPrefix: '/_svc', close: async () => {} },
    describe: () => Promise.reject(new Error('nobody asks')),
    async send(_path, { headers } = {}) {
      const given = new Headers(headers).get('x-api-key');
      shown.push(given);
      return new Response(null, { status: given === key ? 200 : 401 });
    },
  };
  return { target, shown };
}

it.each([
  ['http://127.0.0.1:8000', [null, key], 'OPERATOR_KEY'],
  ['http://[::1]:8000', [null, key], 'OPERATOR_KEY'],
  ['http://localhost:8000', [null, key], 'OPERATOR_KEY'],
  ['https://desk.example.com', [null], undefined],
  ['http://127.0.0.1.example.com', [null], undefined],
])('a server at %s is shown %j of the keys of development', async (url, wanted, variable) => {
  inFolder({ '.waymark/dev.env': `OPERATOR_KEY=${key}\n`, 'package.json': '{}' });
  const { target, shown } = server(url);
  expect((await findTourKey(target, undefined)).variable).toBe(variable);
  expect(shown).toEqual(wanted);
});

it('a server elsewhere is shown the key that is named', async () => {
  inFolder({ '.waymark/dev.env': `OPERATOR_KEY=${key}\n`, 'package.json': '{}' });
  const { target, shown } = server('https://desk.example.com');
  expect((await findTourKey(target, undefined, 'operator')).variable).toBe('OPERATOR_KEY');
  expect(shown).toEqual([key]);
});
