import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 9.1 to 9.8: the device hub. */
export const decisionsDevices: readonly Requirement[] = [
  ...decision.built('9.1', {
    'hub.frames.accepted': 'A frame that was taken is answered 202 `{device, seq}`.',
    'hub.frames.refused': 'A frame is refused with 413, 415 for an unknown type, 422 when empty.',
    'hub.frames.retry-after': 'A frame that came too fast is refused with 429 and `Retry-After`.',
    'hub.frames.ceiling':
      'One frame may come at once below `max_fps` 10, else two: in any second at most `max_fps` and two are taken.',
    'hub.frames.before-body': 'Size and rate are decided before the body is read.',
    'hub.telemetry.accepted': 'A reading that was taken is answered 202.',
    'hub.frames.size-told': 'A picture whose header does not say its size is 422.',
    'hub.telemetry.value': 'A reading that is no object is kept as `{value: …}`.',
    'hub.telemetry.refused': 'A reading over 64 KB is 413, one that is not JSON 400.',
    'hub.telemetry.get':
      'The newest reading is `{device, telemetry, age_ms}`, with null where there is none.',
    'hub.sensor.no-frames': 'The frame routes of a sensor are 404.',
    'hub.snapshot.members':
      'A snapshot has device, description, frame, seq, age_ms, telemetry, telemetry_age_ms and status.',
    'hub.snapshot.nothing': 'A snapshot with neither frame nor telemetry is 404.',
    'hub.latest.etag': '`latest` has the ETag `"<boot>-<seq>"` and answers 304.',
    'hub.latest.headers': '`latest` says `x-frame-seq` and `no-cache`.',
  }),
  ...decision.built('9.1', {
    'hub.insights': '32 insights are kept and listed newest last.',
    'insight.replaced':
      'Another status of a run replaces its insight and is the newest then; the same run and status is told once.',
    'insight.cost': 'An insight says what its run cost in millionths of a dollar, or null.',
    'insight.evidence.kept': 'The picture that a watcher judged is kept with its insight, and goes with it.',
    'insight.evidence.bounded': 'The pictures of a device take 16 MB at most; the oldest go first.',
    'insight.evidence.frame':
      '`GET insights/{run_id}/frame` gives the picture to those who may read the device; without one it is 404.',
    'insight.evidence.link':
      'A link with the token of the picture gives it to somebody without a key; with anything else it is 404.',
    'insight.evidence.link-ends': 'The link ends with the picture, and seven days after its insight.',
  }),
  ...decision.built('9.2', {
    'hub.ws.ready': 'The ingest socket opens with `{type: "ready", device, max_fps}`.',
    'hub.ws.error':
      'The ingest socket says what went wrong as `{type: "error", message}`, the same once a second with a count.',
    'hub.receipts':
      'With `receipts=1` the ingest socket answers each frame once, in order, with its `seq` or why it was not taken.',
    'hub.receipts.silence':
      'An ingest socket with receipts that nothing comes over for 5 s is ended: nothing sent before a longer break is taken.',
    'hub.stream.hello': '`hello` has device, insights, boot and status.',
    'hub.stream.order': 'After `hello` come the newest frame and telemetry, then what is live.',
    'hub.stream.meta': 'A subscriber with `frames=meta` never holds frame bytes.',
  }),
  ...decision.built('9.3', {
    'hub.fan-out.encoded-once': 'A frame is encoded once for all its subscribers.',
    'hub.fan-out.newest-wins': 'A subscriber that falls behind is next sent the newest frame.',
    'hub.fan-out.after-stall': 'After a stall only frames already in flight arrive old.',
    'hub.fan-out.accounted': 'Received plus told as `lagged` equals published, for every live reader.',
    'hub.fan-out.told-first': '`lagged` comes before the next frame.',
    'hub.fan-out.receipts':
      'On a near, fast line one receipt is for several frames or 250 ms; once something is held back, each frame has its own.',
    'hub.fan-out.sudden-slowness':
      'A near line that gets slow at any moment brings no frame older than 400 ms while it moves 1 MB/s.',
  }),
  ...decision.built('9.4', {
    'hub.pull.fresh': 'A request that comes when no pull is under way pulls anew, at most every 1/`max_fps`.',
    'hub.pull.shared': 'Callers that come meanwhile share one pull.',
    'hub.pull.bounded': 'A pull has a cap on bytes and a deadline while it reads.',
    'hub.pull.redirects': 'A pull follows redirects to the same origin only.',
    'hub.pull.metadata': 'Addresses of cloud metadata are refused.',
    'hub.pull.secrets': 'Credentials of a camera are echoed nowhere.',
    'hub.pull.last-good': 'After a failed pull the last good frame is there with its age.',
    'hub.pull.stream': 'The stream never pulls.',
    'hub.pull.head': 'A HEAD never pulls.',
    'hub.pull.unchanged': 'A frame that is pulled with unchanged bytes keeps its number.',
    'hub.pull.no-bucket': 'What is pulled counts against no ceiling, and its refusals are no dropped frames.',
    'hub.pull.first': 'A first pull that fails is 502, or 504 where the camera was too slow.',
    'hub.pull.pause': 'A camera that fails is left alone for 1 to 30 s, by chance.',
    'hub.pull.presence': 'The presence of a pulled camera is that of its pulls.',
    'hub.pull.mjpeg-source':
      'A source may be a motion JPEG stream, which is read while somebody looks and then let go.',
    'hub.pull.mjpeg': '`stream.mjpeg` pulls while somebody watches.',
    'hub.pull.login': 'A camera is signed in to by digest or basic authentication, as it wants.',
    'hub.pull.declared': 'A source that cannot be pulled fails the boot, RTSP with the line that pushes it.',
    'hub.pull.outbound': 'A hub that pulls and has no outbound client fails at boot.',
    'hub.max-age': 'With `max_age_ms` a picture is as new as that, or the answer is 504.',
    'hub.frames.listed': '`GET frames` lists the frames that are kept.',
    'hub.frames.one': '`GET frames/{seq}` gives one of them.',
    'hub.pull.view': 'The view page polls `latest`.',
  }),
  ...decision.built('9.5', {
    'watcher.every.default': 'A watcher ticks every 10 s by default.',
    'watcher.every.minimum': 'A watcher ticks every 0.1 s at most often.',
    'watcher.max-runs.default': 'A watcher has 60 runs per hour by default.',
    'watcher.max-runs.sliding': 'The hour slides and is not forgotten by a restart.',
    'watcher.max-runs.boot-warning': 'A ceiling that `every` must reach is warned about at boot.',
    'watcher.max-runs.audited': 'Reaching the ceiling is one `watcher_limited` event per hour.',
    'watcher.max-runs.listed': 'A watcher at its ceiling says so in the listing.',
    'watcher.first-tick': 'The first tick comes at once.',
    'watcher.one-at-a-time': 'A watcher has one run at a time; ticks missed meanwhile are skipped.',
    'watcher.change': 'Other bytes or other telemetry are a change.',
    'watcher.sensor-seq': 'The insight on a sensor has `seq` null.',
    'watcher.failed-runs': 'A run that failed gives an insight too.',
    'watcher.input': 'The input is the prompt, a blank line and the telemetry as JSON.',
    'watcher.expose-scopes': 'A watcher that may not start its agent fails the boot.',
    'watcher.ticks': 'Ticks do not drift, and clocks that are set do not move them.',
    'watcher.leader':
      'The watchers of one database run in one process; when that is killed, in another within seconds.',
    'watcher.restart': 'A restart judges nothing again that has not changed, and loses no run that was open.',
    'watcher.interrupted': 'A run that a kill cut off is told as failed, and its picture is judged again.',
    'watcher.parked':
      'A run that waits is told and leaves its place; its end takes the place of that insight.',
    'watcher.parked.three': 'Three runs that wait stop their watcher until one has ended.',
    'watcher.max-runs.monotonic': 'A clock that is set gives no runs beyond the ceiling.',
    'watcher.max-cost': 'No run begins once `maxCostPerDay` was spent within 24 hours.',
    'watcher.only-on-change': 'With `onlyOnChange: false` the agent runs at each tick.',
    'watcher.pulled': 'A tick on a pulled camera asks it for a picture; a pull that fails is a skipped tick.',
    'watcher.back-off':
      'After five failures in a row a watcher pauses, twice as long each time, at most 5 minutes.',
    'watcher.today': 'A stored run of a watcher may do what its declaration of today allows.',
    'watcher.listing':
      '`GET watchers` lists each with its limits and how it is; of a webhook the host alone.',
  }),
  ...decision.built('9.6', {
    'webhook.headers': 'A webhook request has the headers of Standard Webhooks.',
    'webhook.signed': 'It is signed when a secret is declared.',
    'webhook.rotation': 'It is signed with each of several secrets, so that one can be changed for another.',
    'webhook.outbox': 'It survives a restart and is retried with jitter for up to 24 h under the same id.',
    'webhook.order':
      'The messages of an endpoint are sent in the order of their addition, as far as retries allow.',
    'webhook.isolation':
      'An endpoint that fails or hangs delays no other, and is asked with one message at a time.',
    'webhook.redirects': 'It follows no redirects.',
    'webhook.metadata': 'It is not sent to addresses of cloud metadata.',
    'webhook.gone': 'After 410 nothing is sent until somebody wants it sent again.',
    'webhook.retry-after':
      'An endpoint that says `Retry-After` is left alone for as long, up to ten minutes.',
    'webhook.one-sender':
      'Of several processes on one database one sends, and another takes over within 5 s.',
    'webhook.size': 'A body has at most 20,000 bytes; a longer text is cut and marked.',
    'webhook.bounds': 'Of each endpoint 1,000 messages wait at most; which are dropped is counted and told.',
    'webhook.secrets': 'No URL, token or secret of a webhook is in a log, a listing or the audit log.',
    'webhook.listing': '`GET /_svc/webhooks` lists every endpoint by its host, with its state and counts.',
    'webhook.redeliver': 'What waits or was given up can be sent again, all of it or one message.',
    'notify.checked': 'A `notify` whose events, URL or secrets cannot be used fails the boot.',
    'notify.approval': '`notify` tells of each question to a human, with what it takes to decide.',
    'notify.run': '`notify` tells of the end of each root run, with its use.',
    'notify.events': '`notify` tells of changes of devices and of watchers at their ceiling.',
  }),
  ...decision.built('9.7', {
    'hub.shared.ready': 'A subscriber is let in once the backend listens.',
    'hub.shared.gaps': 'Frames that are lost between processes count as skipped.',
    'hub.shared.reports': 'Presence and counts are those of all processes that share a backend.',
    'hub.presence': 'A device is online, stale or offline, and does not flicker between them.',
    'hub.listing.members':
      'A row has name, kind, description, status, pulled, latest, telemetry_at_ms, counts and max_fps.',
    'hub.listing.watchers': 'A row names the watchers of its device.',
    'hub.listing.latest': '`latest` is `{seq, media_type, bytes, at_ms}` or null.',
  }),
  ...decision.built('9.8', {
    'hub.alone': 'The hub works in a foreign express or node:http server with its own `authenticate`.',
    'hub.alone.no-database': 'The hub needs neither a database nor agents.',
  }),
  ...decision.built('9.8', {
    'control.no-guard': 'Without a control guard a dispatcher answers 403 on each control route.',
    'control.require-admin': '`requireAdmin()` is there for those who embed.',
  }),
];
