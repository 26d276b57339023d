import { isOptions } from '@waymark/contract/declaring';
import { createModels, type ModelsDescription, provider } from '@waymark/models';
import type { Declarations } from '../declaring/declarations.ts';
import { RehearsalError } from '../rehearse/rehearsal.ts';
import type { Developed } from './developed.ts';
import type { ModelServer } from './development-options.ts';

/**
 * Leads the providers whose key is not set to another model server, under their own names: aliases, models and prices stay
 * what they are. It is started where an agent or a flow would ask such a provider, and only then.
 *
 * @param every whether it answers for the providers that have their key, too: where it cannot be started, nobody may be asked
 */
export async function withModelServer(
  declarations: Declarations,
  start: () => Promise<ModelServer>,
  every = false,
): Promise<Omit<Developed, 'keys'>> {
  const asIs = { declarations, close: async () => {} };
  const { declared, settings } = declarations;
  const models = createModels(declared.models, { env: settings.env });
  const description = models.describe();
  models.close();
  const asked = modelsAsked(declarations, description);
  const variables = [...new Set(asked.flatMap((name) => models.missingKeys(name)))];
  // What a plugin asks nobody knows beforehand.
  const mayAsk = asked.length > 0 || (every && declarations.addedPlugins.length > 0);
  if (!mayAsk || (variables.length === 0 && !every)) return asIs;
  const unset = `${variables.join(' and ')} ${variables.length === 1 ? 'is' : 'are'} not set`;
  try {
    const { url, close } = await start();
    const mute = description.providers.filter(
      ({ apiKeyEnv }) => every || (apiKeyEnv !== null && variables.includes(apiKeyEnv)),
    );
    const stood = mute.map(({ name, kind }) =>
      provider(name, kind === 'openai' ? `${url}/v1` : url, { kind }),
    );
    const others = declared.models.filter(
      (one) => one.kind !== 'provider' || !mute.some(({ name }) => name === one.name),
    );
    return {
      declarations: { ...declarations, declared: { ...declared, models: [...others, ...stood] } },
      models: every ? 'simulated' : `simulated, since ${unset}`,
      close,
    };
  } catch (error) {
    if (every || !(error instanceof RehearsalError)) throw error;
    return { ...asIs, models: `none, since ${unset}; ${error.message}` };
  }
}

/** Names of models that agents name, and the aliases that everything else asks. */
function modelsAsked({ declared }: Declarations, { aliases }: ModelsDescription): readonly string[] {
  const { agents, flows } = declared;
  if (agents.length + flows.length === 0) return [];
  const named = agents.flatMap((one) =>
    one.kind === 'agent' && isOptions(one.options) && typeof one.options.model === 'string'
      ? [one.options.model]
      : [],
  );
  return [...aliases.map(({ alias }) => alias), ...named];
}
