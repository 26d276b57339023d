import { createHash, timingSafeEqual } from 'node:crypto';
import { HTTPError, media, type Route, Type, toRoute } from '@waymark/contract';
import { type EngineContext, type Host, RouteResponse } from '@waymark/contract/engine';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import type { KeptEvidence } from '@waymark/contract/stores';
import { pictureHeaders } from './latest-route.ts';
import { pathOf, type RouteParts, titleOf, toRead } from './route-parts.ts';

/** How long a link is good after its insight, at most. */
export const keptLinkDays = 7;

const dayMs = 24 * 3_600_000;

/** What ids of runs are made of: nothing else is looked up, nor stands in a header. */
const runId = /^[\w.-]{1,128}$/;

/** GET insights/{run_id}/frame: the picture that a watcher judged. */
export function insightFrameRoute(parts: RouteParts): Route {
  const { settings } = parts;
  const answer = async ({ input }: EngineContext): Promise<RouteResponse> => {
    const { run_id } = input as { readonly run_id: string };
    const evidence = await find(parts, run_id);
    if (!evidence) throw new HTTPError(404, `no picture of run ${run_id} is kept for "${settings.name}"`);
    return toPicture(parts, run_id, evidence);
  };
  return toRoute(
    'GET',
    pathOf(parts, 'insights/{run_id}/frame'),
    { kind: 'device', answer },
    {
      ...toRead(parts, { fails: [404], reads: ifNoneMatch, sends: etag }),
      input: { run_id: Type.String({ description: 'As the insight says.' }) },
      summary: `The picture of the ${titleOf(settings)} that an insight is about.`,
      output: media('image/*'),
    },
  );
}

/** GET insights/{run_id}/evidence: the same picture for whoever was sent a link to it, and has no key. */
export function insightEvidenceRoute(parts: RouteParts, { now }: Pick<Host, 'now'>): Route {
  const { settings } = parts;
  const answer = async ({ input }: EngineContext): Promise<RouteResponse> => {
    const { run_id, token = '' } = input as { readonly run_id: string; readonly token?: string };
    const evidence = await find(parts, run_id);
    const isOpen = evidence && now() - evidence.atMs <= keptLinkDays * dayMs && isSame(token, evidence.token);
    // Whoever guesses learns nothing of why.
    if (!isOpen) throw new HTTPError(404, 'nothing is kept behind this link, or not any more');
    return toPicture(parts, run_id, evidence);
  };
  return toRoute(
    'GET',
    pathOf(parts, 'insights/{run_id}/evidence'),
    { kind: 'device', answer },
    {
      declaredAt: settings.declaredAt,
      facts: { device: settings.name, client: false, fails: [404], reads: ifNoneMatch, sends: etag },
      input: {
        run_id: Type.String({ description: 'As the insight says.' }),
        token: Type.Optional(Type.String({ description: 'As the link says.' })),
      },
      summary: `The picture of the ${titleOf(settings)} that an insight is about, by the link that went along with it.`,
      output: media('image/*'),
    },
  );
}

async function find({ device }: RouteParts, id: string): Promise<KeptEvidence | undefined> {
  return runId.test(id) ? device().evidence(id) : undefined;
}

/** Compares in a time that tells neither length nor beginning. An empty token opens nothing. */
function isSame(given: string, token: string): boolean {
  return token !== '' && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function toPicture(
  { settings }: RouteParts,
  id: string,
  { bytes, mediaType, token }: KeptEvidence,
): RouteResponse {
  const ending = mediaType.slice(mediaType.indexOf('/') + 1);
  return new RouteResponse(
    200,
    { kind: 'bytes', bytes, mediaType },
    {
      ...pictureHeaders,
      // Each picture has a token of its own; to hash the picture would take longer.
      etag: `"${digest(token).toString('base64url').slice(0, 22)}"`,
      // Asked again each time: it goes with its insight, and keys are taken back.
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="${settings.name}-${id}.${ending}"`,
      'referrer-policy': 'no-referrer',
    },
  );
}
