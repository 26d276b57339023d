import type { DeviceInsight } from '@waymark/client-gen/runtime';
import type { Service } from './service.ts';

/** An insight as its route tells it. */
export interface KeptInsight extends DeviceInsight {
  /** Whether the picture is kept that it is about. */
  readonly has_frame: boolean;
}

/** The newest reading of a device. */
export interface NewestReading {
  readonly telemetry: Readonly<Record<string, unknown>> | null;
  readonly age_ms: number | null;
}

/** What came of asking for a picture. */
export type PictureAnswer =
  | { readonly found: 'new'; readonly image: Blob; readonly tag: string | undefined; readonly ageMs: number }
  /** The one that is there already. */
  | { readonly found: 'same'; readonly ageMs: number }
  | { readonly found: 'none'; readonly why: string; readonly retryAfterMs: number };

/** Nobody waits longer for a picture: a camera that hangs takes a place that others need. */
const patienceMs = 8_000;
const longestWhy = 300;

/** The routes of devices that the console uses. */
export function deviceRoutes({ call, ask }: Service) {
  const read = (what: string) =>
    ({
      method: 'GET',
      path: `/devices/{name}/${what}`,
      json: true,
      retry: true,
      timeoutMs: patienceMs,
    }) as const;
  const picture = async (path: string, tag: string | undefined, signal: AbortSignal) =>
    toPictureAnswer(
      await ask(path, {
        headers: tag === undefined ? {} : { 'if-none-match': tag },
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      }),
    );
  return {
    telemetry: call<{ readonly name: string }, NewestReading>(read('telemetry')),
    insights: call<{ readonly name: string }, { readonly insights: readonly KeptInsight[] }>(
      read('insights'),
    ),
    /** @param tag of the picture that is there */
    latest: (name: string, tag: string | undefined, signal: AbortSignal): Promise<PictureAnswer> =>
      picture(`/devices/${encodeURIComponent(name)}/latest`, tag, signal),
    /** The picture that an insight is about. */
    evidence: (name: string, runId: string, signal: AbortSignal): Promise<PictureAnswer> =>
      picture(
        `/devices/${encodeURIComponent(name)}/insights/${encodeURIComponent(runId)}/frame`,
        undefined,
        signal,
      ),
  };
}

async function toPictureAnswer(response: Response): Promise<PictureAnswer> {
  const { status, headers } = response;
  const ageMs = Math.max(0, Number(headers.get('x-frame-age') ?? 0) || 0);
  if (status === 304) return { found: 'same', ageMs };
  if (status === 200)
    return { found: 'new', image: await response.blob(), tag: headers.get('etag') ?? undefined, ageMs };
  const body = (await response.json().catch(() => undefined)) as { readonly detail?: unknown } | undefined;
  const detail = typeof body?.detail === 'string' ? body.detail.slice(0, longestWhy) : `status ${status}`;
  const afterSecs = Number(headers.get('retry-after') ?? 0);
  return { found: 'none', why: detail, retryAfterMs: Number.isFinite(afterSecs) ? afterSecs * 1_000 : 0 };
}
