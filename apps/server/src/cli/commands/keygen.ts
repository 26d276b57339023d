import { randomBytes } from 'node:crypto';
import { isVariable, toVariable } from '../call/find-key.ts';
import { UsageError } from '../output/usage-error.ts';
import { command, jsonOption } from './command.ts';

/** `waymark keygen`: makes a secret for an API key. It is printed once and kept nowhere. */
export const keygen = command(
  {
    meta: { name: 'keygen', description: 'Make the secret of an API key' },
    args: {
      env: { type: 'string', description: 'Variable that holds it (API_KEY)', valueHint: 'CAM_KEY' },
      id: { type: 'string', description: 'Who shows it; the variable is named after it', valueHint: 'cam' },
      scopes: {
        type: 'string',
        description: 'What the key may do, with commas between',
        valueHint: 'devices:ingest',
      },
      ...jsonOption,
    },
    run({ args: { id, env = id === undefined ? 'API_KEY' : toVariable(id), scopes, json } }) {
      if (id !== undefined && !/^[\w.-]+$/.test(id)) throw new UsageError(`"${id}" is not the id of a key`);
      if (!isVariable(env)) throw new UsageError(`"${env}" is not the name of a variable`);
      const secret = `wm_${randomBytes(32).toString('base64url')}`;
      console.log(json ? JSON.stringify({ env, secret }) : `${env}=${secret}`);
      // Not on stdout, which may go into a file of variables.
      if (id !== undefined || scopes !== undefined) console.error(toDeclaration(env, id ?? 'key', scopes));
    },
  },
  { examples: ['keygen --env SUPPORT_KEY >> .env', 'keygen --id cam --scopes devices:ingest >> .env'] },
);

function toDeclaration(env: string, id: string, scopes = ''): string {
  const list = scopes.split(',').filter((scope) => scope !== '');
  const text = list.map((scope) => JSON.stringify(scope.trim())).join(', ');
  return `declare it: application.apiKey('${env}', '${id}', { scopes: [${text}] })`;
}
