import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { Bench } from './bench.tsx';
import { type Runnable, toRunnables } from './runnables.ts';

/** Agents, behaviours and flows to try: `#/playground/agent/support`. */
export function page({ place }: PageProps): VNode {
  const { service } = useApp();
  const { control } = service;
  const { value, error } = usePolled(
    async (signal) => {
      const [{ agents }, { behaviours }, { flows }] = await Promise.all([
        control.agents.list({}, { signal }),
        control.behaviours.list({}, { signal }),
        control.flows.list({}, { signal }),
      ]);
      return toRunnables({ agents, behaviours, flows });
    },
    {},
    [],
  );
  const [kind, name] = place.rest;
  const chosen = value?.find((one) => one.kind === kind && one.name === name) ?? value?.[0];
  return (
    <div class="page full">
      <header>
        <h1>Playground</h1>
        <span class="soft">What you start here is real: tools are called, and tokens are paid for.</span>
      </header>
      {error !== undefined && !value && <Failure title="The agents could not be read" error={error} />}
      {value?.length === 0 && (
        <Empty
          title="There is nothing to run yet"
          code={"app.agent('support', { system: 'You work at a desk.' });"}
        >
          Agents, behaviours and flows are tried here. This declares one:
        </Empty>
      )}
      {value && chosen && (
        <div class="ground">
          <Choices all={value} chosen={chosen} />
          <Bench key={`${chosen.kind} ${chosen.name}`} runnable={chosen} />
        </div>
      )}
    </div>
  );
}

function Choices({ all, chosen }: { readonly all: readonly Runnable[]; readonly chosen: Runnable }): VNode {
  return (
    <nav class="choices" aria-label="What can be run">
      {(['agent', 'behaviour', 'flow'] as const).map((kind) => {
        const some = all.filter((one) => one.kind === kind);
        if (some.length === 0) return null;
        return (
          <div key={kind}>
            <h2 class="small soft">
              {kind === 'agent' ? 'Agents' : kind === 'behaviour' ? 'Behaviours' : 'Flows'}
            </h2>
            <ul>
              {some.map((one) => (
                <li key={one.name}>
                  <a
                    href={toFragment('playground', [kind, one.name])}
                    aria-current={one === chosen ? 'true' : undefined}
                    title={one.description}
                  >
                    {one.name}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}
