import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import { type AuditFilter, knownKinds, spans } from './audit-filter.ts';

const spanWords = { '': 'any time', hour: 'last hour', day: 'last 24 hours', week: 'last 7 days' } as const;
const settleMs = 350;

/** What is asked of the log. All of it stands in the address. */
export function FilterBar({
  filter,
  kinds,
}: {
  readonly filter: AuditFilter;
  readonly kinds: readonly string[];
}): VNode {
  const { router } = useApp();
  const first = useRef<HTMLSelectElement>(null);
  useKeys([{ keys: 'f', says: 'filter the log', press: () => first.current?.focus() }]);
  const all = [...new Set([...knownKinds, ...kinds, ...(filter.kind === '' ? [] : [filter.kind])])];
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter the log"
      onSubmit={(event) => event.preventDefault()}
    >
      <select
        ref={first}
        class="input slight"
        aria-label="Kind"
        value={filter.kind}
        onChange={({ currentTarget }) => router.filter({ kind: currentTarget.value })}
      >
        <option value="">any kind</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <FilterText name="principal" label="Caller" value={filter.principal} />
      <FilterText name="route" label="Route or tool" value={filter.route} />
      <FilterText name="run" label="Run id" value={filter.run} />
      <select
        class="input slight"
        aria-label="When"
        value={filter.span}
        onChange={({ currentTarget }) => router.filter({ span: currentTarget.value })}
      >
        {spans.map((one) => (
          <option key={one} value={one}>
            {spanWords[one]}
          </option>
        ))}
      </select>
    </form>
  );
}

interface TextProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

/** A whole value that the service compares: it is asked when somebody has stopped typing. */
function FilterText({ name, label, value }: TextProps): VNode {
  const { router } = useApp();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <input
      class="input slight"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={128}
      spellcheck={false}
      autocomplete="off"
      onInput={({ currentTarget }) => {
        const text = currentTarget.value.trim();
        clearTimeout(timer.current);
        timer.current = setTimeout(() => router.filter({ [name]: text }), settleMs);
      }}
    />
  );
}
