import { DeclarationError, type Problem } from '@waymark/contract';
import { type Fault, toProblems } from '@waymark/contract/declaring';
import { type Host, HostError, type Plugin } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import { checkFlow, checkFlowName } from './flow/check-flow.ts';
import { checkReferences } from './flow/check-references.ts';
import type { FlowDeclaration } from './flow/flow.ts';
import { flowRoutes } from './flow/flow-routes.ts';
import { toSettings } from './flow/flow-settings.ts';
import { flowsListing } from './flow/flows-listing.ts';
import type { FlowParts } from './run/flow-work.ts';

/**
 * Makes the plugin of declared flows: their routes and the listing `flows`.
 *
 * The check of the plugin reports wrong declarations and names that stand for nothing. Its start takes the models of the
 * host, which choose the labels of `route` flows.
 */
export function createFlows(declarations: readonly FlowDeclaration[]): Plugin {
  const named = declarations.map((one, i) => ({ one, faults: checkFlowName(one, declarations.slice(0, i)) }));
  // Those that can be told apart by their names; the check speaks of the others.
  const settings = named.flatMap(({ one, faults }) => (faults.length === 0 ? [toSettings(one)] : []));
  const flows = new Map(settings.map((one) => [one.name, one]));
  const routing = settings.some(({ plan }) => plan.kind === 'route');
  let host: Host | undefined;
  const parts: FlowParts = { models: () => modelsOf(host) };
  const ownProblems = named.flatMap(({ one, faults }) => problemsOf(one, [...faults, ...checkFlow(one)]));
  return {
    name: 'flows',
    routes: [...settings.flatMap((one) => flowRoutes(one, parts)), flowsListing(settings)],
    needs: [...(settings.length > 0 ? (['runner'] as const) : []), ...(routing ? (['models'] as const) : [])],
    check: (boot) => [
      ...ownProblems,
      ...settings.flatMap((one) => problemsOf(one, checkReferences(one, flows, boot))),
    ],
    start(started) {
      if (ownProblems.length > 0) throw new DeclarationError(ownProblems);
      host = started;
    },
  };
}

function modelsOf(host: Host | undefined): ModelClient {
  if (!host) throw new HostError('flows have not started');
  if (!host.models) throw new Error('flows that route need models, and the host has none');
  return host.models;
}

function problemsOf(
  { name, declaredAt }: Pick<FlowDeclaration, 'name' | 'declaredAt'>,
  faults: readonly Fault[],
): readonly Problem[] {
  const title = typeof name === 'string' ? `flow ${JSON.stringify(name.slice(0, 80))}` : 'flow';
  return toProblems(title, declaredAt, faults);
}
