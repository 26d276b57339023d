import type { Part } from '@waymark/contract/models';

/** One call of a model. */
export type ModelToolCall = Extract<Part, { readonly type: 'tool_call' }>;
