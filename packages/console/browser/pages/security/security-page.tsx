import type { ComponentChildren, VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlSecurityOutput as Report } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Choice } from '../../design/choice.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { FilterField } from '../../design/filter-field.tsx';
import { toJsonText } from '../../design/json-text.ts';
import { matches } from '../../design/matches.ts';
import { counted, toRough } from '../../design/words.ts';
import { toLimitText, toPolicies } from './security-words.ts';

const parts = ['findings', 'surface', 'gates', 'limits'] as const;
type Part = (typeof parts)[number];
const partWords: Readonly<Record<Part, string>> = {
  ...{ findings: 'Findings', surface: 'What anybody reaches', gates: 'Gates and grants', limits: 'Limits' },
};

/** The security report: what is unsafe and how to settle it, what is public, what is gated, and the limits in force. */
export function page({ place }: PageProps): VNode {
  const { service, router } = useApp();
  const { value, error } = usePolled((signal) => service.control.security({}, { signal }), {}, []);
  const part = parts.find((one) => one === place.query['part']) ?? 'findings';
  const query = place.query['q'] ?? '';
  return (
    <div class="page">
      <header>
        <h1>Security</h1>
        {value && (
          <Badge tone={value.warnings.length === 0 ? 'good' : 'bad'}>
            {value.warnings.length === 0
              ? 'nothing unsafe is known'
              : counted(value.warnings.length, 'warning')}
          </Badge>
        )}
        <div class="more">
          <Choice
            label="Part of the report"
            choices={parts}
            words={partWords}
            value={part}
            onChoose={(one) => router.filter({ part: one, q: '' })}
          />
          {part === 'surface' || part === 'limits' ? <FilterField value={query} what={part} /> : null}
          {value && <CopyButton text={toJsonText(value)} what="the whole report" label="Copy as JSON" />}
        </div>
      </header>
      {error !== undefined && !value && <Failure title="The report could not be made" error={error} />}
      {value && part === 'findings' && <Findings report={value} />}
      {value && part === 'surface' && <Surface report={value} query={query} />}
      {value && part === 'gates' && <Gates report={value} />}
      {value && part === 'limits' && <Limits report={value} query={query} />}
    </div>
  );
}

function Findings({ report }: { readonly report: Report }): VNode {
  const { warnings, notes, auth_configured: auth, anonymous_scopes: anonymous } = report;
  return (
    <>
      <Block title="Warnings">
        {warnings.length === 0 ? (
          <p class="soft">No choice of this application is known to be unsafe.</p>
        ) : (
          <FindingList rows={warnings} tone="bad" />
        )}
      </Block>
      {notes.length > 0 && (
        <Block title="Worth knowing, and may well be meant">
          <FindingList rows={notes} tone="idle" />
        </Block>
      )}
      <Block title="Who gets in">
        <dl class="pairs">
          <dt>Credentials</dt>
          <dd>
            {auth === true
              ? 'are asked for'
              : auth === false
                ? 'none are declared'
                : 'are those of whoever embeds it'}
          </dd>
          <dt>Without one</dt>
          <dd>{anonymous.length === 0 ? 'callers hold no scope' : `callers hold ${anonymous.join(', ')}`}</dd>
          {toPolicies(report).map(([name, text]) => (
            <>
              <dt key={name}>{name}</dt>
              <dd>{text}</dd>
            </>
          ))}
        </dl>
      </Block>
    </>
  );
}

function FindingList({
  rows,
  tone,
}: {
  readonly rows: Report['warnings'];
  readonly tone: 'bad' | 'idle';
}): VNode {
  return (
    <ul class="findings">
      {rows.map(({ text, fix }) => (
        <li key={text} data-tone={tone}>
          <p>{text}</p>
          {fix !== null && (
            <p class="small">
              <strong>Fix:</strong> {fix}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Surface({ report, query }: { readonly report: Report; readonly query: string }): VNode {
  const rows = report.public_surface.filter(({ method, path, engine, tool }) =>
    matches(query, [method, path, engine, tool]),
  );
  if (report.public_surface.length === 0) return <Empty title="Nobody reaches anything without a scope" />;
  return (
    <Block title={`${counted(rows.length, 'route')} that anybody reaches`}>
      <Table heads={['Method', 'Path', 'Engine', 'Anonymous callers hold', 'Changes something']}>
        {rows.map(({ method, path, engine, scopes, writes }) => (
          <tr key={`${method} ${path}`}>
            <td class="mono">{method}</td>
            <td class="mono">
              <a href={toFragment('routes', [`${method} ${path}`])}>{path}</a>
            </td>
            <td>{engine}</td>
            <td>{scopes.length === 0 ? 'it asks for nothing' : scopes.join(', ')}</td>
            <td>{writes ? <Badge tone="bad">it may</Badge> : 'no'}</td>
          </tr>
        ))}
      </Table>
    </Block>
  );
}

function Gates({ report }: { readonly report: Report }): VNode {
  const { gated_tools: gated, memories } = report;
  const started = [
    ...report.agents.map((one) => ({ ...one, kind: 'agent' })),
    ...report.behaviours.map((one) => ({ ...one, kind: 'behaviour' })),
    ...report.flows.map((one) => ({ ...one, kind: 'flow' })),
  ];
  return (
    <>
      <Block title="Tools that a human decides about">
        {gated.length === 0 ? (
          <p class="soft">
            No tool needs approval. <code>approval: 'required'</code> on its route makes one wait.
          </p>
        ) : (
          <Table heads={['Tool', 'Route', 'Scopes', 'Who approves', 'Declined by itself']}>
            {gated.map(({ name, route, scopes, approver }) => (
              <tr key={name}>
                <td class="mono">{name}</td>
                <td class="mono">
                  <a href={toFragment('routes', [route])}>{route}</a>
                </td>
                <td>{scopes.join(', ') || 'none'}</td>
                <td>
                  svc:admin{approver.scope === null ? '' : ` + ${approver.scope}`}
                  {approver.four_eyes ? ', not who started the run' : ''}
                </td>
                <td>after {toRough(approver.expires_ms)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Block>
      {started.length > 0 && (
        <Block title="Who may start what">
          <Table heads={['Kind', 'Name', 'Route', 'Needs']}>
            {started.map(({ kind, name, route, expose_scopes: scopes }) => (
              <tr key={`${kind} ${name}`}>
                <td>{kind}</td>
                <td class="mono">{name}</td>
                <td class="mono">
                  <a href={toFragment('routes', [route])}>{route}</a>
                </td>
                <td>
                  {scopes.length === 0 ? <Badge tone="bad">nothing: anybody may</Badge> : scopes.join(' + ')}
                </td>
              </tr>
            ))}
          </Table>
        </Block>
      )}
      {memories.length > 0 && (
        <Block title="Memories">
          <Table heads={['Name', 'To read', 'To write']}>
            {memories.map(({ name, read_scopes: read, write_scopes: write }) => (
              <tr key={name}>
                <td class="mono">{name}</td>
                <td>{read.join(' + ') || 'a caller with a name'}</td>
                <td>{write.join(' + ') || 'a caller with a name'}</td>
              </tr>
            ))}
          </Table>
        </Block>
      )}
    </>
  );
}

function Limits({ report, query }: { readonly report: Report; readonly query: string }): VNode {
  const rows = report.limits.filter(({ name, note, unit }) =>
    matches(query, [name.replaceAll('_', ' '), name, note, unit]),
  );
  return (
    <Block title={`${counted(rows.length, 'limit')} in force`}>
      <Table heads={['Limit', 'Value', 'Of what']}>
        {rows.map(({ name, value, unit, note }, i) => (
          <tr key={`${name} ${note} ${i}`}>
            <td>{name.replaceAll('_', ' ')}</td>
            <td class="num">
              {value === 'none' ? <Badge tone="warn">none</Badge> : toLimitText(value, unit)}
            </td>
            <td class="soft">{note ?? ''}</td>
          </tr>
        ))}
      </Table>
    </Block>
  );
}

function Block({ title, children }: { readonly title: string; readonly children: ComponentChildren }): VNode {
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A table that is scrolled sideways where it is wider than the window. */
function Table({
  heads,
  children,
}: {
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="sideways" tabIndex={0} role="group" aria-label={`Table of ${heads[0]}`}>
      <table class="plain">
        <thead>
          <tr>
            {heads.map((one) => (
              <th key={one} scope="col">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
