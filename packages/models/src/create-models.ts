import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@waymark/contract';
import { type Log, Partners, type Plugin } from '@waymark/contract/engine';
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

/** Options of `createModels`. Every one has a default that suits a server. */
export interface CreateModelsOptions {
  /** Reads an environment variable; default: those of the process. */
  readonly env?: (name: string) => string | undefined;
  /** Retries of a failed attempt; default: 2. */
  readonly retries?: number;
  /** Milliseconds to the headers of an answer; default: 300,000. */
  readonly timeoutMs?: number;
  /** Milliseconds between two pieces of an answer; default: 120,000. */
  readonly idleTimeoutMs?: number;
  /** Bytes of the largest answer; default: 33,554,432 (32 MiB). */
  readonly maxReplyBytes?: number;
  /** Puts prompts and answers into trace spans; default: false. */
  readonly traceContent?: boolean;
  /** Log of retries, and of options that a request is repeated without; default: none. */
  readonly log?: Log;
  /** Outbound client that sends the requests; default: `node:http`, with connections that are kept alive. */
  readonly outbound?: Outbound;
  /** Sends the requests, instead of `outbound` and `node:http`. */
  readonly post?: Post;
  /** Current time in epoch milliseconds; default: `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds of a clock that is never set, for deadlines and durations; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Random number from 0, below 1, for the jitter of retries; default: `Math.random`. */
  readonly random?: () => number;
  /** Waits before a retry, and rejects when the signal fires; default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Makes an id for each tool call of a server that sends none; default: a random UUID. */
  readonly newId?: () => string;
}

/** Client, plugin and descriptions of the declared models, as `createModels` returns them. */
export interface Models {
  readonly client: ModelClient;
  /** Plugin that checks the declarations at the start and closes the connections at the end. */
  readonly plugin: Plugin;
  /** Describes aliases, providers and prices for listings, without any key. */
  describe(): ModelsDescription;
  /** Lists the variables of which one has to be set before the model of that alias or name can be called. */
  missingKeys(model: string): readonly string[];
  /** Closes the connections that are kept; the plugin's `stop` does it too. */
  close(): void;
}

/**
 * Makes the client of the declared models. It throws nothing for wrong declarations: the plugin's check reports them.
 */
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
      placement: 'any',
      routes: [],
      check: () => problems,
      troubles: () => context.partners.troubles(),
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
  const partners = new Partners('model', { monotonic });
  return { ...given, partners, limits, traceContent, log, now, monotonic, random, wait, newId };
}
