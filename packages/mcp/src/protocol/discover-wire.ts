import type { McpAnswer, McpContext, Wire } from '../mcp.ts';
import { checkHeaders, mismatch } from '../transport/check-headers.ts';
import { Exchange, type Pace } from '../transport/exchange.ts';
import { discoverDialect } from './dialect.ts';
import { isRecord, type RpcRequest, readEnvelope } from './envelope.ts';
import type { Methods } from './methods.ts';
import { type Refusal, refused } from './refusal.ts';
import { capabilitiesKey, metaOf, versionKey } from './request-meta.ts';
import { discoverRevision, revisions } from './revisions.ts';
import { invalidParams, invalidRequest, methodNotFound, unsupportedVersion } from './rpc-text.ts';

/** What the wire asks besides its own rules: a tool may want headers and capabilities. */
type CheckCall = (request: RpcRequest, context: McpContext) => Refusal | undefined;

/**
 * The wire of 2026-07-28: one message for each POST, requests that say everything themselves. What a request says of
 * itself is checked before its method looks at it, in the order of the specification; a client that goes away cancels.
 */
export function createDiscoverWire(methods: Methods, checkCall: CheckCall, pace: Pace): Wire {
  const check = (request: RpcRequest, context: McpContext): Refusal | undefined => {
    const { headers = {} } = context;
    return (
      checkVersion(request, headers['mcp-protocol-version']) ??
      checkHeaders(request, headers) ??
      (methods.has(request.method) ? checkCall(request, context) : unknownMethod)
    );
  };
  return {
    handle(message, context) {
      if (Array.isArray(message)) return refuseBatch(context.headers?.['mcp-protocol-version']);
      const envelope = readEnvelope(message);
      if (envelope.kind === 'invalid') return refused(envelope.id, invalid(envelope.rule));
      if (envelope.kind === 'response') return refused(null, invalid('nothing was asked of the client'));
      if (envelope.kind === 'notification')
        return takeNotification(context.headers?.['mcp-protocol-version']);
      const { request } = envelope;
      const refusal = check(request, context);
      if (refusal) return refused(request.id, refusal);
      const exchange = new Exchange(context, rules, pace);
      return exchange.answer(methods.receive(request, exchange));
    },
  };
}

const rules = { dialect: discoverDialect, cancels: true, alone: true };

const unknownMethod: Refusal = { status: 404, code: methodNotFound, message: 'Method not found' };

function invalid(message: string): Refusal {
  return { status: 400, code: invalidRequest, message };
}

/** Somebody who speaks a revision of another kind learns of that first. */
function refuseBatch(version: string | undefined): McpAnswer {
  if (version !== undefined && !isKnown(version)) return refused(null, unsupported(version));
  return refused(null, invalid('this revision takes one message at a time'));
}

/** Nothing about a notification is looked at but what every POST must get right. */
function takeNotification(version: string | undefined): McpAnswer {
  return version === undefined || isKnown(version) ? { status: 202 } : refused(null, unsupported(version));
}

function checkVersion(request: RpcRequest, header: string | undefined): Refusal | undefined {
  const meta = metaOf(request);
  const version = meta?.[versionKey];
  // Somebody who speaks a revision of another kind learns more from the list than from what is missing in the body.
  if (version === undefined && header !== undefined && !isKnown(header)) return unsupported(header);
  if (typeof version !== 'string') return badMeta(versionKey, 'a string');
  if (!isRecord(meta?.[capabilitiesKey])) return badMeta(capabilitiesKey, 'an object');
  if (header !== version) return mismatch('MCP-Protocol-Version', header, `_meta["${versionKey}"]`);
  return version === discoverRevision ? undefined : unsupported(version);
}

function isKnown(version: string): boolean {
  return (revisions as readonly string[]).includes(version);
}

function unsupported(requested: string): Refusal {
  const message = 'unsupported protocol version';
  return { status: 400, code: unsupportedVersion, message, data: { supported: revisions, requested } };
}

function badMeta(key: string, form: string): Refusal {
  return { status: 400, code: invalidParams, message: `params._meta["${key}"] must be ${form}` };
}
