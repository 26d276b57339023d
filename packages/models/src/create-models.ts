import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@waymark/contract';
import type { Log, Plugin } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import type { ModelClient } from '@waymark/contract/models';
import type { AskContext } from './attempts/context.ts';
import { LearnedAdaptations } from './attempts/learned-adaptations.ts';
import { checkModels } from './catalog/check-models.ts';
import { createCatalog } from './catalog/create-catalog.ts';
import { resolveModel } from './catalog/resolve-model.ts';
import { complete } from './complete.ts';
import { describeModels, type ModelsDescription, missingKeys } from './describe-models.ts';
import { estimateSpend } from './estimate-spend.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { ModelDeclaration } from './model-declaration.ts';
import { createNodePost, type NodePost } from './transport/node-post.ts';
import { outboundPost } from './transport/outbound-post.ts';
import type { Post } from './transport/post.ts';

/** How models are asked. Everything has a default that is right for a server. */
export interface CreateModelsOptions {
  /** Reads a variable; those of the process. */
  readonly env?: (name: string) => string | undefined;
  /** How often a failed attempt is repeated; 2. */
  readonly retries?: number;
  /** To the first byte of an answer; 300 seconds. */
  readonly timeoutMs?: number;
  /** Between two pieces of an answer; 120 seconds. */
  readonly idleTimeoutMs?: number;
  /** The largest answer; 32 MB. */
  readonly maxReplyBytes?: number;
  /** Puts what is said into spans; false. */
  readonly traceContent?: boolean;
  /** Told of retries and of what a request goes without. */
  readonly log?: Log;
  /** The outbound client that sends the requests. Without it they go over node:http, with connections that are kept. */
  readonly outbound?: Outbound;
  /** Sends the requests instead of both. */
  readonly post?: Post;
  /** The clock on the wall; epoch milliseconds. */
  readonly now?: () => number;
  /** The clock of deadlines and durations, as `Host.monotonic`. */
  readonly monotonic?: () => number;
  /** Between 0 and 1, for the jitter of retries. */
  readonly random?: () => number;
  /** Waits before a retry; rejects when the signal fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Makes an id for calls of a server that gives none to anything. */
  readonly newId?: () => string;
}

/** Declared models at work. */
export interface Models {
  readonly client: ModelClient;
  /** Checks the declarations at boot, closes the connections at the end. */
  readonly plugin: Plugin;
  /** What there is, for listings; never a key. */
  describe(): ModelsDescription;
  /** The variables of which one has to be set before a model can be called at all, by its alias or name. */
  missingKeys(model: string): readonly string[];
  /** Closes the connections that are kept. The plugin's `stop` does. */
  close(): void;
}

/** Makes the client of the declared models. Wrong declarations are not thrown: the plugin's check finds them. */
export function createModels(
  declarations: readonly ModelDeclaration[],
  options: CreateModelsOptions = {},
): Models {
  const { env = (name) => process.env[name] } = options;
  const catalog = createCatalog(declarations, env);
  const learned = new LearnedAdaptations();
  const transport = createTransport(options);
  const context = toContext(options, { catalog, env, post: transport.post });
  const problems = checkModels(declarations, env);
  const client: ModelClient = {
    check(alias): Problem | undefined {
      const resolved = resolveModel(alias, catalog);
      return resolved.ok ? undefined : { declaration: `model "${alias}"`, ...resolved.fault };
    },
    estimateTokens,
    estimateSpend: (request, inputTokens) => estimateSpend(request, inputTokens, catalog),
    complete: (request, callOptions) => complete(request, callOptions, learned, context),
  };
  return {
    client,
    describe: () => describeModels(catalog, env),
    missingKeys: (model) => missingKeys(model, catalog, env),
    close: transport.close,
    plugin: {
      name: 'models',
      routes: [],
      check: () => problems,
      stop: transport.close,
    },
  };
}

function createTransport({
  post,
  outbound,
  maxReplyBytes = defaultMaxReplyBytes,
}: CreateModelsOptions): NodePost {
  const given = post ?? (outbound && outboundPost(outbound, maxReplyBytes));
  return given ? { post: given, close: () => {} } : createNodePost();
}

const defaultMaxReplyBytes = 32 * 1_048_576;

function toContext(
  options: CreateModelsOptions,
  given: Pick<AskContext, 'catalog' | 'env' | 'post'>,
): AskContext {
  const {
    retries = 2,
    timeoutMs = 300_000,
    idleTimeoutMs = 120_000,
    maxReplyBytes = defaultMaxReplyBytes,
    traceContent = false,
    log = () => {},
    now = Date.now,
    monotonic = () => performance.now(),
    random = Math.random,
    wait = (ms, signal) => sleep(ms, undefined, { signal }),
    newId = randomUUID,
  } = options;
  const limits = { retries, timeoutMs, idleTimeoutMs, maxReplyBytes };
  return { ...given, limits, traceContent, log, now, monotonic, random, wait, newId };
}
