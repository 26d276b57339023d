import { isOptions, type LimitInForce } from '@waymark/contract/declaring';
import { defaultTransactionMs } from './database/database-options.ts';
import { maxKeyLength } from './key-pattern.ts';
import type { MemoryDeclaration } from './memory/memory.ts';
import { maxQueryLength, maxValueLength } from './memory/memory-routes.ts';
import { defaultMaxEntries } from './memory/memory-rules.ts';
import { maxLimit } from './resource/list-rows.ts';

/** A declaration that has limits, or another. */
type Limited = MemoryDeclaration | { readonly kind: 'query' | 'resource' };

/** Limits of what is declared, for the security report. */
export function dataLimits(declarations: readonly Limited[]): readonly LimitInForce[] {
  const has = (kind: 'resource' | 'memory'): boolean => declarations.some((one) => one.kind === kind);
  return [
    ...(has('resource') ? resourceLimits : []),
    ...(has('memory') ? memoryLimits : []),
    ...(declarations.length > 0 ? [transactionOpen] : []),
    ...declarations.flatMap((one) => (one.kind === 'memory' ? [entriesOf(one)] : [])),
  ];
}

function entriesOf({ name, options }: MemoryDeclaration): LimitInForce {
  const { maxEntries: value = defaultMaxEntries } = isOptions(options) ? options : {};
  return { name: 'memory_entries', value, unit: 'entries', note: `each caller, in ${JSON.stringify(name)}` };
}

const resourceLimits: readonly LimitInForce[] = [
  { name: 'resource_list', value: maxLimit, unit: 'rows', note: 'each list' },
  { name: 'resource_key', value: maxKeyLength, unit: 'characters', note: 'given by callers' },
];

const transactionOpen: LimitInForce = {
  ...{ name: 'transaction_open', value: defaultTransactionMs, unit: 'ms' },
  note: 'each transaction; a write waits for one at most, a transaction for one of each other caller',
};

const memoryLimits: readonly LimitInForce[] = [
  { name: 'memory_key', value: maxKeyLength, unit: 'characters' },
  { name: 'memory_value', value: maxValueLength, unit: 'characters' },
  { name: 'memory_query', value: maxQueryLength, unit: 'characters' },
];
