import { type Route, type Static, Type, toRoute } from '@waymark/contract';

/** Aliases, providers and prices of models for the listing; it holds no key. */
export interface ModelsFacts {
  readonly aliases: readonly {
    readonly alias: string;
    /** Models and aliases that it is declared for. */
    readonly targets: readonly string[];
    /** `<provider>/<model>` in the order in which they are asked. */
    readonly models: readonly string[];
  }[];
  readonly providers: readonly {
    readonly name: string;
    /** Wire format of the provider. */
    readonly kind: string;
    /** Host of its base URL. */
    readonly host: string;
    /** Name of the variable with its key; null when it is called without one. */
    readonly apiKeyEnv: string | null;
    /** Tells whether it can be called: its key is set, or it needs none. */
    readonly live: boolean;
    readonly builtIn: boolean;
  }[];
  /** Prices in USD for a million tokens. */
  readonly prices: readonly {
    readonly model: string;
    readonly inputPerMtok: number;
    readonly outputPerMtok: number;
    readonly cacheReadPerMtok: number;
    readonly cacheWritePerMtok: number;
  }[];
}

/**
 * Lists the aliases, which providers can be called, and what models cost.
 *
 * @param facts asked at each request, so a key that came after the start counts
 */
export function modelsRoute(facts: () => ModelsFacts): Route {
  return toRoute(
    'GET',
    '/models',
    { kind: 'control', answer: (): ModelsAnswer => toAnswer(facts()) },
    {
      plane: 'control',
      summary: 'Lists model aliases, providers and prices.',
      output: modelsAnswer,
      facts: { client: 'models' },
    },
  );
}

function toAnswer({ aliases, providers, prices }: ModelsFacts): ModelsAnswer {
  const isLive = (name: string): boolean => providers.some((one) => one.name === name && one.live);
  return {
    aliases: Object.fromEntries(aliases.map(({ alias, targets }) => [alias, oneOrList(targets)])),
    resolved: Object.fromEntries(aliases.map(({ alias, models }) => [alias, [...models]])),
    anthropic: isLive('anthropic'),
    openai: isLive('openai'),
    prefixes: providers.map(({ name }) => name),
    providers: providers.map(({ name, kind, host, apiKeyEnv, live, builtIn }) => ({
      name,
      kind,
      host,
      api_key_env: apiKeyEnv,
      live,
      built_in: builtIn,
    })),
    priced_models: prices.map(({ model }) => model),
    prices: prices.map(({ model, inputPerMtok, outputPerMtok, cacheReadPerMtok, cacheWritePerMtok }) => ({
      model,
      input_per_mtok: inputPerMtok,
      output_per_mtok: outputPerMtok,
      cache_read_per_mtok: cacheReadPerMtok,
      cache_write_per_mtok: cacheWritePerMtok,
    })),
  };
}

/** As it was declared: a name, or a list of them to fall back on. */
function oneOrList(targets: readonly string[]): string | string[] {
  const [only] = targets;
  return only !== undefined && targets.length === 1 ? only : [...targets];
}

type ModelsAnswer = Static<typeof modelsAnswer>;

const closed = { additionalProperties: false };
const usd = Type.Number({ minimum: 0, description: 'USD for a million tokens.' });

const providerRow = Type.Object(
  {
    name: Type.String({ description: 'Its models are `<name>/<model>`.' }),
    kind: Type.String({ description: 'The wire format it speaks.' }),
    host: Type.String(),
    api_key_env: Type.Union([Type.String(), Type.Null()], { description: 'The variable of its key.' }),
    live: Type.Boolean({ description: 'Whether it can be called: its key is there, or it needs none.' }),
    built_in: Type.Boolean(),
  },
  closed,
);

const priceRow = Type.Object(
  {
    model: Type.String(),
    input_per_mtok: usd,
    output_per_mtok: usd,
    cache_read_per_mtok: usd,
    cache_write_per_mtok: usd,
  },
  closed,
);

const modelsAnswer = Type.Object(
  {
    aliases: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
      description: 'What each alias stands for, as it was declared.',
    }),
    resolved: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'The models behind each alias, in the order in which they are asked.',
    }),
    anthropic: Type.Boolean({ description: 'Whether the provider of that name is live.' }),
    openai: Type.Boolean({ description: 'Whether the provider of that name is live.' }),
    prefixes: Type.Array(Type.String()),
    providers: Type.Array(providerRow),
    priced_models: Type.Array(Type.String()),
    prices: Type.Array(priceRow),
  },
  closed,
);
