import type { Draft } from '../call/draft.ts';
import type { Operation, Scheme } from '../model/api.ts';
import { toLiteral } from './to-literal.ts';

/** A call as a program. */
export interface TypeScriptCall {
  readonly operation: Operation;
  readonly root: string;
  readonly draft: Draft;
  readonly scheme: Scheme | undefined;
}

/** Writes a call with the generated client; undefined where the client has no method for it. */
export function toTypeScript({ operation, root, draft, scheme }: TypeScriptCall): string | undefined {
  const { client: method, progress } = operation.facts;
  if (method === undefined) return undefined;
  const options = [`baseUrl: ${toLiteral(root)}`, ...(scheme === undefined ? [] : [credential(scheme)])];
  const headers = Object.fromEntries(draft.headers);
  const second = [
    ...(draft.headers.length > 0 ? [`headers: ${toLiteral(headers)}`] : []),
    ...(progress ? ['onProgress: (event) => console.log(event)'] : []),
  ];
  const input = toInput(operation, draft);
  const given = [
    ...(input === undefined ? (second.length > 0 ? ['undefined'] : []) : [input]),
    ...(second.length > 0 ? [`{ ${second.join(', ')} }`] : []),
  ];
  return [
    ...(draft.body.kind === 'file' ? ["import { readFile } from 'node:fs/promises';"] : []),
    "import { createClient } from './client.ts';",
    '',
    `const client = createClient({ ${options.join(', ')} });`,
    `const answer = await client.${method}(${given.join(', ')});`,
    'console.log(answer);',
  ].join('\n');
}

function credential(scheme: Scheme): string {
  return scheme === 'bearer' ? "token: process.env['TOKEN']" : "apiKey: process.env['KEY']";
}

/** All that it takes is one object; bytes and what they are, beside it. */
function toInput({ parameters }: Operation, { values, body }: Draft): string | undefined {
  const members = Object.fromEntries(values);
  if (body.kind !== 'file') return values.size === 0 ? undefined : toLiteral(members);
  const taken = new Set(parameters.map(({ argument }) => argument));
  const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
  const own =
    values.size === 0
      ? ''
      : `${toLiteral(members)
          .replace(/^\{\s*/, '')
          .replace(/,?\s*\}$/, '')}, `;
  return `{ ${own}${free('body')}: await readFile(${toLiteral(body.name)}), ${free('contentType')}: ${toLiteral(body.type)} }`;
}
