import type { ComponentChildren, VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import type { ControlRoutesListOutputRoutesItem as RouteRow } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { toJsonText } from '../../design/json-text.ts';
import { LongText } from '../../design/value-view.tsx';
import { CallForm } from './call-form.tsx';
import { MethodWord } from './method-word.tsx';
import { type KnownRoute, toClientCall, toCurl, toMcpCall, toSchemas } from './surfaces.ts';
import type { Routes } from './use-routes.ts';
import { toWhoMay } from './who-may.ts';

/** One declaration with its four surfaces beside each other. */
export function RouteView({ row, known }: { readonly row: RouteRow; readonly known: Routes }): VNode {
  const { service } = useApp();
  const { base } = service.address;
  const { document, described } = known;
  const operation = document.operations.get(`${row.method} ${prefixed(row.path)}`);
  const tool = row.tool === null ? undefined : known.tools.get(row.tool);
  const route: KnownRoute = { route: row, operation, tool, document, base };
  const schemas = toSchemas(route);
  return (
    <>
      <header>
        <a href={toFragment('routes')}>← All routes</a>
        <h1 class="mono">
          <MethodWord method={row.method} /> {row.path}
        </h1>
        <div class="more">
          {document.docs !== undefined && operation && (
            <a class="button slight" href={toFragment('reference', [operation.id])}>
              See it in the reference
            </a>
          )}
        </div>
      </header>
      {operation && <p>{operation.summary}</p>}
      <dl class="pairs card">
        <dt>Engine</dt>
        <dd>{row.engine}</dd>
        <dt>Who may</dt>
        <dd>{toWhoMay(row)}</dd>
        <dt>Approval</dt>
        <dd>
          {row.approval === 'required'
            ? 'a human decides each call that an agent, behaviour or flow makes'
            : 'none needed'}
        </dd>
        <dt>Tool</dt>
        <dd>
          {row.tool === null ? 'it is none' : <code>{row.tool}</code>}
          {tool && <Hints annotations={tool.annotations} />}
        </dd>
      </dl>
      {described && <CallForm key={`${row.method} ${row.path}`} known={route} />}
      <div class="surfaces" aria-busy={!described}>
        <Surface title="curl" text={toCurl(route)}>
          {described
            ? 'The document has no operation for it: it is a socket, or left out of the document.'
            : 'The document is on its way…'}
        </Surface>
        <Surface
          title="MCP call"
          text={toMcpCall(route)}
          note={row.approval === 'required' ? approvalNote : undefined}
        >
          {row.tool === null
            ? 'It is no tool. With tool: true it is one for agents and for MCP clients.'
            : 'Your key does not hold its scopes, so you are not told its schema.'}
        </Surface>
        <Surface title="Client call" text={toClientCall(route)}>
          {operation
            ? 'The document does not name the method that the generated client has for it.'
            : 'It has no operation, and so no method.'}
        </Surface>
        <Surface title="Schema" text={schemas && toJsonText(schemas)}>
          Nothing is known of what it takes.
        </Surface>
      </div>
    </>
  );
}

const approvalNote = 'Over MCP it is refused: only a human opens this gate.';

/** Paths in the listing are those of the document. */
function prefixed(path: string): string {
  return path.replace(/\{(\w+)\*\}/g, '{$1}');
}

function Hints({
  annotations,
}: {
  readonly annotations: NonNullable<KnownRoute['tool']>['annotations'];
}): VNode {
  const { readOnlyHint: reads, idempotentHint: again, destructiveHint: destroys } = annotations;
  return (
    <span class="hints">
      {reads && <Badge tone="idle">only reads</Badge>}
      {!reads && again && <Badge tone="idle">may be repeated</Badge>}
      {destroys && <Badge tone="bad">destroys</Badge>}
    </span>
  );
}

interface SurfaceProps {
  readonly title: string;
  readonly text: string | undefined;
  readonly note?: string | undefined;
  /** Why there is none. */
  readonly children: ComponentChildren;
}

function Surface({ title, text, note, children }: SurfaceProps): VNode {
  return (
    <section class="card stack" aria-label={title}>
      <div class="row">
        <h2 class="grow">{title}</h2>
        {text !== undefined && <CopyButton text={text} what={title} />}
      </div>
      {note !== undefined && <p class="small warn">{note}</p>}
      {text === undefined ? <p class="soft">{children}</p> : <LongText text={text} />}
    </section>
  );
}
