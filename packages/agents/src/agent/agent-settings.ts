import { createHash } from 'node:crypto';
import { checkScopes, type Shape, wellShaped } from '@waymark/contract/declaring';
import type { AgentDeclaration, AgentOptions } from './agent.ts';

/** A declared agent with every default filled in. */
export interface AgentSettings {
  readonly name: string;
  readonly model: string;
  readonly system: string;
  readonly description: string;
  /** Those of its memory included, each once. */
  readonly tools: readonly string[];
  readonly handoffs: readonly string[];
  readonly context: readonly string[];
  readonly memory: string | null;
  readonly scopes: readonly string[];
  readonly exposeScopes: readonly string[];
  readonly maxSteps: number;
  readonly tokenBudget: number | null;
  readonly cache: boolean;
  readonly toolResultLimit: number;
  readonly contextWindow: number | null;
  readonly compactWith: string;
  readonly keepRecent: number;
  readonly temperature: number | null;
  readonly maxTokens: number;
  readonly exposeAt: string;
  readonly tool: boolean;
  readonly maxInputBytes: number;
  readonly images: boolean;
  readonly maxImages: number;
  readonly public: boolean;
  /** Changes with the declaration. */
  readonly codeVersion: string;
  readonly declaredAt: string;
}

/** What each option holds. */
export const agentShapes: Readonly<Record<keyof AgentOptions, Shape>> = {
  ...{ model: 'text', system: 'text', description: 'text', memory: 'text', compactWith: 'text' },
  ...{ tools: 'texts', handoffs: 'texts', context: 'texts' },
  // Looked at as scopes.
  ...{ scopes: 'any', exposeScopes: 'any' },
  ...{ maxSteps: 'number', tokenBudget: 'number', toolResultLimit: 'number', contextWindow: 'number' },
  ...{ keepRecent: 'number', temperature: 'number', maxTokens: 'number', maxImages: 'number' },
  maxInputBytes: 'number',
  ...{ cache: 'boolean', tool: 'boolean', public: 'boolean', images: 'boolean' },
  ...{ exposeAt: 'text', declaredAt: 'text' },
};

/** 1 MiB. */
const defaultMaxInputBytes = 1_048_576;

/** The tools of a memory, in the order in which the specification lists them. */
export function memoryTools(memory: string): readonly string[] {
  return ['remember', 'recall', 'search', 'forget'].map((verb) => `${memory}_${verb}`);
}

/** Fills the defaults. Options that are wrong count as left out: the check reports them. */
export function toSettings({ name, options, declaredAt }: AgentDeclaration): AgentSettings {
  const given = wellShaped(options as AgentOptions, agentShapes);
  const { memory, tools = [], scopes: wanted = [], exposeScopes: starters = wanted } = given;
  const scopes = checkScopes(wanted).length === 0 ? wanted : [];
  return {
    name,
    model: given.model ?? 'default',
    system: given.system ?? '',
    description: given.description ?? '',
    tools: [...new Set([...tools, ...(memory === undefined ? [] : memoryTools(memory))])],
    handoffs: [...new Set(given.handoffs ?? [])],
    context: [...new Set(given.context ?? [])],
    memory: memory ?? null,
    scopes,
    exposeScopes: checkScopes(starters).length === 0 ? starters : scopes,
    maxSteps: given.maxSteps ?? 12,
    tokenBudget: given.tokenBudget ?? null,
    cache: given.cache ?? true,
    toolResultLimit: given.toolResultLimit ?? 16_384,
    contextWindow: given.contextWindow ?? null,
    compactWith: given.compactWith ?? 'fast',
    keepRecent: given.keepRecent ?? 6,
    temperature: given.temperature ?? null,
    maxTokens: given.maxTokens ?? 16_000,
    exposeAt: given.exposeAt ?? `/agents/${String(name).replaceAll('_', '-')}`,
    tool: given.tool ?? true,
    // The check says what is wrong with another one, once.
    maxInputBytes: isCount(given.maxInputBytes) ? given.maxInputBytes : defaultMaxInputBytes,
    images: given.images ?? true,
    maxImages: given.maxImages ?? 4,
    public: given.public ?? false,
    codeVersion: createHash('sha256')
      .update(JSON.stringify([name, given]))
      .digest('base64url')
      .slice(0, 16),
    declaredAt,
  };
}

function isCount(given: unknown): given is number {
  return Number.isInteger(given) && Number(given) > 0;
}
