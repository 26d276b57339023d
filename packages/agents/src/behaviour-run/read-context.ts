import { HTTPError } from '@waymark/contract';
import { refusedCode } from '../run/refused-call.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { notDeclared } from './call-tools.ts';
import { requireName } from './check-asked.ts';
import { ToolError } from './tool-error.ts';

/**
 * Reads a declared context in one journaled step.
 *
 * @throws {ToolError} it is not declared
 * @throws {HTTPError} it failed
 * @throws {TypeError} no name
 */
export function readContext(name: string, work: BehaviourWork): Promise<string> {
  const { guard, trace } = work;
  return guard.beginUncounted(() => {
    requireName('context', name);
    return trace.note('context', name, read(name, work));
  });
}

async function read(name: string, { scope, context, parts, settings }: BehaviourWork): Promise<string> {
  const { input, request } = context;
  const reading = { input, principal: scope.principal, request, signal: scope.signal };
  const provider = settings.context.includes(name) ? parts.contexts.get(name) : undefined;
  try {
    return await scope.op<string>({ kind: 'context', name, input: null, repeat: 'safe' }, async () => {
      if (!provider)
        throw new HTTPError(403, notDeclared('context', name, settings.context, settings.name), {
          code: refusedCode,
        });
      return { value: await provider.read({ ...reading, log: context.log.bind(context) }) };
    });
  } catch (error) {
    // What a context fails with says so itself.
    if (!(error instanceof HTTPError) || error.members.code !== refusedCode) throw error;
    const { status, message } = error;
    throw new ToolError(name, { ok: false, status, message, code: refusedCode });
  }
}
