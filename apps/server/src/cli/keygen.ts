import { randomBytes } from 'node:crypto';
import { defineCommand } from 'citty';
import { UsageError } from './usage-error.ts';

/** `waymark keygen`: makes a secret for an API key. It is printed once and kept nowhere. */
export const keygen = defineCommand({
  meta: {
    name: 'keygen',
    description: 'Make the secret of an API key, e.g. waymark keygen --env SUPPORT_KEY >> .env',
  },
  args: {
    env: { type: 'string', description: 'Variable that holds it', valueHint: 'API_KEY', default: 'API_KEY' },
  },
  run({ args }) {
    if (!/^[A-Za-z_]\w*$/.test(args.env)) throw new UsageError(`"${args.env}" is not the name of a variable`);
    console.log(`${args.env}=wm_${randomBytes(32).toString('base64url')}`);
  },
});
