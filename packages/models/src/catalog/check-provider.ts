import type { Problem } from '@waymark/contract';
import { asText, checkOptions, type Fault, type Shapes, toProblems } from '@waymark/contract/declaring';
import type { ModelDeclaration } from '../model-declaration.ts';
import { keyForms, type ProviderDeclaration, providerKinds } from '../provider.ts';
import { builtInProviders } from './built-in.ts';
import { fault, type ModelRuleFault } from './rules.ts';

const providerShapes: Shapes = {
  baseUrl: 'any',
  kind: providerKinds,
  apiKeyEnv: 'text',
  auth: keyForms,
  anthropicVersion: 'text',
};

/** Finds what is wrong with the declaration of a provider. @param earlier what was declared before it */
export function checkProvider(
  { name, options, declaredAt }: ProviderDeclaration,
  earlier: readonly ModelDeclaration[],
): readonly Problem[] {
  const { baseUrl, apiKeyEnv, kind, anthropicVersion } = options;
  const twin = earlier.find((one) => one.kind === 'provider' && one.name === name);
  const replaced = builtInProviders(() => undefined).find((one) => one.name === name);
  const faults: readonly Fault[] = [
    ...checkProviderName(name, twin),
    ...checkUrl(baseUrl),
    ...checkOptions(options, providerShapes),
    ...(typeof apiKeyEnv === 'string' && !/^[A-Za-z_]\w*$/.test(apiKeyEnv)
      ? [
          fault(
            'provider-variable',
            'apiKeyEnv is not the name of a variable',
            "write apiKeyEnv: 'ROUTER_KEY'",
          ),
        ]
      : []),
    ...(anthropicVersion !== undefined && kind !== 'anthropic' && providerKinds.includes(kind)
      ? [
          fault(
            'provider-options',
            `anthropicVersion means nothing to kind "${kind}"`,
            "add kind: 'anthropic'",
          ),
        ]
      : []),
  ];
  const otherKind = replaced && replaced.kind !== kind && providerKinds.includes(kind);
  const warning: readonly Fault[] = otherKind
    ? [
        {
          ...fault('provider-replaces', `it speaks "${kind}", the built-in one "${replaced.kind}"`, ''),
          fix: `add kind: '${replaced.kind}', unless that is meant`,
          severity: 'warning',
        },
      ]
    : [];
  return toProblems(`provider "${asText(name)}"`, declaredAt, [...faults, ...warning]);
}

function checkProviderName(name: unknown, twin: ModelDeclaration | undefined): readonly ModelRuleFault[] {
  if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    return [
      fault(
        'provider-name',
        'its name cannot be a prefix',
        'write up to 64 letters, digits and . _ -, a letter or digit first',
      ),
    ];
  if (!twin) return [];
  return [fault('provider-name', `it is declared at ${twin.declaredAt} already`, 'choose another name')];
}

function checkUrl(text: unknown): readonly ModelRuleFault[] {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return [fault('provider-url', 'its base URL is no http or https URL', "write 'https://host/v1'")];
  // The message does not show what it found: it may be a key.
  if (url.username !== '' || url.password !== '')
    return [fault('provider-url', 'its base URL has credentials', 'name a variable with apiKeyEnv')];
  if (url.search === '' && url.hash === '') return [];
  return [fault('provider-url', 'its base URL has a query or a fragment', 'take it out')];
}
