import { createHash } from 'node:crypto';
import type { Values } from '@waymark/contract';
import {
  type Approval,
  type AuditEvent,
  type Delivery,
  fitBody,
  type RunRecord,
} from '@waymark/contract/stores';
import type { NotifyDeclaration, NotifyEvent } from './notify.ts';

/** Where a human decides. */
export interface NoticeOptions {
  /** The URL that callers reach the server at; without it no message has a link. */
  readonly publicUrl?: string | undefined;
  /** `/_svc`. */
  readonly controlPrefix: string;
}

/** Messages of what runs come to, for the commit that it belongs to. Pure: the same gives the same, ids included. */
export interface Notices {
  /** A human is asked. */
  approvalRequested(approval: NoticedApproval): readonly Delivery[];
  /** A root has ended. */
  runFinished(run: NoticedRun, figures: NoticedFigures): readonly Delivery[];
}

/** What is told of an approval. */
export type NoticedApproval = Pick<
  Approval,
  | 'approvalId'
  | 'rootId'
  | 'agent'
  | 'path'
  | 'caller'
  | 'tool'
  | 'arguments'
  | 'reason'
  | 'requestedMs'
  | 'expiresMs'
>;

/** What is told of a run that has ended. */
export type NoticedRun = Pick<RunRecord, 'runId' | 'spec' | 'status' | 'createdMs' | 'endedMs'>;

/** What it has used, with all below it. */
export interface NoticedFigures {
  readonly durationMs: number;
  readonly tokens: number;
  /** Null where a model has no price. */
  readonly costMicros: number | null;
}

/** Makes the messages of runs for those who are to be told. */
export function createNotices(
  declarations: readonly NotifyDeclaration[],
  { publicUrl, controlPrefix }: NoticeOptions,
): Notices {
  const base = publicUrl?.replace(/\/+$/, '');
  const tell = (event: NotifyEvent, id: string, atMs: number, data: Values): readonly Delivery[] =>
    listenersOf(declarations, event).map(({ name }) => ({
      // Each receiver gets a message of its own.
      id: `${id}_${shortHash(name)}`,
      endpoint: endpointName(name),
      body: toBody(event, atMs, data),
    }));
  return {
    approvalRequested: ({ approvalId, path, requestedMs, expiresMs, ...approval }) =>
      tell('approval_requested', `${approvalId}_requested`, requestedMs, {
        approval_id: approvalId,
        run_id: approval.rootId,
        agent: approval.agent,
        path,
        caller: approval.caller,
        tool: approval.tool,
        arguments: approval.arguments,
        reason: approval.reason,
        requested_at_ms: requestedMs,
        expires_at_ms: expiresMs,
        ...(base !== undefined && { decide_url: `${base}${controlPrefix}/approvals/${approvalId}` }),
      }),
    runFinished: ({ runId, spec, status, createdMs, endedMs }, { durationMs, tokens, costMicros }) => {
      const atMs = endedMs ?? createdMs + durationMs;
      // A run that is retried ends once more.
      return tell('run_finished', `${runId}_${status}_${atMs.toString(36)}`, atMs, {
        run_id: runId,
        kind: spec.kind,
        name: spec.name,
        status,
        duration_ms: durationMs,
        tokens,
        cost_micros: costMicros,
      });
    },
  };
}

/** Messages of an event of the audit log, for those who are to be told of it. */
export function eventDeliveries(
  declarations: readonly NotifyDeclaration[],
  { kind, ...data }: AuditEvent,
  { atMs, newId }: { readonly atMs: number; readonly newId: () => string },
): readonly Delivery[] {
  if (kind !== 'device_status' && kind !== 'watcher_limited') return [];
  const body = { ...data, ...(kind === 'device_status' && { since_ms: atMs }) };
  return listenersOf(declarations, kind).map(({ name }) => ({
    id: newId(),
    endpoint: endpointName(name),
    body: toBody(kind, atMs, body),
  }));
}

/** The name of the endpoint of a `notify`. */
export function endpointName(name: string): string {
  return `notify:${name}`;
}

function listenersOf(
  declarations: readonly NotifyDeclaration[],
  event: NotifyEvent,
): readonly NotifyDeclaration[] {
  return declarations.filter(({ options }) => options.given.events.includes(event));
}

/** As Standard Webhooks recommends. */
function toBody(type: NotifyEvent, atMs: number, data: Values): Delivery['body'] {
  // What is undefined is no member of JSON.
  return fitBody({ type, timestamp: new Date(atMs).toISOString(), data }) as Delivery['body'];
}

function shortHash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}
