import { clauses, type Requirement } from './clause.ts';

const stream = clauses('service: Device stream, ');
const delivery = clauses('service: Insight delivery, ');
const emission = clauses('service: Emission rules, ');

/** Section "Events": stream messages, insight delivery, emission rules. */
export const serviceEvents: readonly Requirement[] = [
  ...stream.built('JSON', {
    'event.json': 'Whatever the service emits, frames themselves aside, is JSON.',
  }),
  ...stream.built('hello', {
    'event.stream.hello': 'A subscriber is greeted with `hello` when it connects, recent insights included.',
  }),
  ...stream.built('frame header', {
    'event.stream.frame':
      'Each frame is announced by its header and followed by its bytes in one binary message.',
    'event.stream.frame-meta': 'A subscriber with `frames=meta` is sent the header alone.',
  }),
  ...stream.built('telemetry', {
    'event.stream.telemetry': 'Each reading is sent as a `telemetry` message.',
  }),
  ...stream.built('insight', {
    'event.stream.insight': 'Each conclusion of a watcher is sent as an `insight` message.',
  }),
  ...stream.built('lagged', {
    'event.stream.lagged': 'A slow subscriber is told how many events it missed.',
    'event.stream.never-buffered': 'Frames for a slow subscriber are dropped, not queued.',
  }),
  ...delivery.built('stream', {
    'event.insight.stream': 'An insight reaches every subscriber of the stream.',
  }),
  ...delivery.built('insights route', {
    'event.insight.route': 'An insight can be read from the insights route.',
  }),
  ...delivery.built('audit', {
    'event.insight.audit': 'An insight is in the audit log.',
  }),
  ...delivery.built('webhook', {
    'event.insight.webhook': 'An insight is posted as JSON to the webhook, if there is one.',
    'event.insight.webhook-bearer': 'The webhook request bears the token that `webhook_bearer_env` names.',
  }),
  ...emission.built('frame ingested', {
    'event.emit.frame': 'A frame reaches subscribers alike, whether it was posted or came by socket.',
  }),
  ...emission.built('telemetry ingested', {
    'event.emit.telemetry': 'A reading that comes in goes out as a telemetry message.',
  }),
  ...emission.built('watcher run finished', {
    'event.emit.insight': 'A finished run of a watcher goes out as an insight.',
  }),
  ...emission.built('agent WebSocket turn', {
    'event.emit.turn': 'A turn on an agent socket gives one `step` per step and one `result` at the end.',
  }),
];
