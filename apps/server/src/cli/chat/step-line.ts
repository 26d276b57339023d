import type { RunStep } from '@waymark/client-gen/runtime';

/** Characters of arguments, and of a result, on one line. */
const shownLength = 100;

/** Says in a line what a step did; undefined for steps that show otherwise: text, questions to humans. */
export function toStepLine(step: RunStep, rootId: string): string | undefined {
  const text = toText(step);
  if (text === undefined) return undefined;
  const depth = step.run_id === rootId ? 0 : step.run_id.slice(rootId.length).split('.').length - 1;
  const who = depth === 0 ? '' : `${step.agent}: `;
  return `${'  '.repeat(depth + 1)}${who}${text}`;
}

function toText({
  kind,
  tool = '',
  arguments: given,
  result,
  error,
  ...others
}: RunStep): string | undefined {
  if (kind === 'tool_call')
    return `${tool} ${short(given)} ${error === undefined ? `→ ${short(result)}` : `failed: ${error}`}`;
  if (kind === 'tool_refused') return `${tool} ${short(given)} was refused: ${error ?? ''}`;
  if (kind === 'handoff') return `handed over to ${String(others['to'] ?? '')}`;
  if (kind === 'compaction') return 'what was said before is summed up';
  if (kind !== 'approval_decided') return undefined;
  const note = others['note'] === undefined ? '' : `: ${String(others['note'])}`;
  return `${tool} was ${String(others['status'] ?? 'decided')}${note}`;
}

/** The longest arguments that are shown whole. */
const mostShown = 16_384;

/**
 * What a human is asked to approve, whole: what `short` cuts has a line for each member behind it. Undefined where it is too
 * long for a terminal: nobody approves there what they have not seen.
 */
export function wholeLines(given: unknown): readonly string[] | undefined {
  const text = JSON.stringify(given) ?? '';
  if (text.length <= shownLength) return [];
  return text.length <= mostShown ? JSON.stringify(given, null, 2).split('\n') : undefined;
}

/** A value on one line, cut where it is long. */
export function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
