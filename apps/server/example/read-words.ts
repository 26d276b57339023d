import { parseArgs } from 'node:util';
import { UsageError, unknownName } from '../src/cli/output/usage-error.ts';
import type { Flags } from '../src/options/application-options.ts';
import { isPort, toPort } from '../src/options/port.ts';

const options = { host: { type: 'string' }, port: { type: 'string' }, tour: { type: 'boolean' } } as const;

/** What the reference application is told when it is started. */
export interface Words {
  readonly flags: Pick<Flags, 'host' | 'port'>;
  /** Says what can be tried, without a key being pressed. */
  readonly tour: boolean;
}

/** Reads the words behind `npm start --`. @throws {UsageError} a word that it does not know, or a port that is none */
export function readWords(argv: readonly string[]): Words {
  const { tokens, values } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const known = Object.keys(options).map((name) => `--${name}`);
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(`there is nothing to do with "${token.value}"`);
    if (token.kind !== 'option') continue;
    if (!known.includes(token.rawName)) throw unknownName('option', token.rawName, known);
    const isText = token.rawName !== '--tour';
    if (isText && (token.value ?? '') === '') throw new UsageError(`${token.rawName} needs a value`);
    if (!isText && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
  }
  const { host, port, tour } = values;
  if (typeof port === 'string' && !isPort(toPort(port)))
    throw new UsageError(`--port ${port} is not a number from 0 to 65535`);
  return {
    flags: {
      ...(typeof host === 'string' && { host }),
      ...(typeof port === 'string' && { port: Number(port) }),
    },
    tour: tour === true,
  };
}
