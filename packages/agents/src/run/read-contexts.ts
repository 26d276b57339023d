import { HTTPError } from '@waymark/contract';
import { type ContextText, contextBlocks } from '../context/context-block.ts';
import type { Actor } from './actor.ts';
import type { RunWork } from './run-work.ts';

/**
 * Reads contexts, each in a journaled step of its own, and puts them into blocks (decision 6.8).
 *
 * @returns undefined where there are none
 * @throws {HTTPError} a context failed, and the run with it
 */
export async function readContexts(
  names: readonly string[],
  { principal }: Actor,
  { scope, context, parts }: RunWork,
): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const { input, request } = context;
  const log = context.log.bind(context);
  const reading = { input, principal, request, signal: scope.signal, log };
  const texts = names.map(async (name): Promise<ContextText> => {
    const provider = parts.contexts.get(name);
    const text = await scope.op<string>({ kind: 'context', name, input: null, repeat: 'safe' }, async () => {
      if (!provider) throw new HTTPError(500, `there is no context "${name}" any more`, gone);
      return { value: await provider.read(reading) };
    });
    return { name, description: provider?.description ?? '', text };
  });
  return contextBlocks(await Promise.all(texts));
}

const gone = { code: 'declaration_gone' } as const;
