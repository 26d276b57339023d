import { clauses, type Requirement } from './clause.ts';

const option = clauses('service: Device options, ');
const watcher = clauses('service: Watcher options, ');
const insight = clauses('service: Insight, ');
const record = clauses('service: Device stream records, ');

/** Tables "Device options", "Watcher options", "Insight" and "Device stream records". */
export const serviceDevices: readonly Requirement[] = [
  ...option.built('camera and sensor', {
    'device.camera': '`camera` declares a device by its name and the device options.',
    'device.sensor': '`sensor` declares a device by its name and the device options.',
  }),
  ...option.built('description', {
    'device.option.description': 'The description tells an agent what the device is.',
    'device.option.description.default': 'A device has no description by default.',
  }),
  ...option.built('source', {
    'device.option.source': 'A camera with a source fetches a picture from that URL when one is asked for.',
    'device.option.source.lazy': 'Nothing is fetched from a source before somebody asks.',
  }),
  ...option.built('source', {
    'device.option.source.default': 'A camera has no source by default.',
  }),
  ...option.built('headers, bearer_env', {
    'device.option.headers': 'A pulled camera is sent the headers it declares.',
    'device.option.headers.default': 'A pulled camera is sent no extra headers by default.',
    'device.option.bearer': 'A pulled camera is sent the bearer token in the variable it names.',
    'device.option.bearer.default': 'A pulled camera is sent no bearer token by default.',
  }),
  ...option.built('keep', {
    'device.option.keep': 'A device holds its `keep` newest frames.',
    'device.option.keep.default': 'A device holds 8 frames by default.',
  }),
  ...option.built('max_fps', {
    'device.option.max-fps': 'A device takes no more than `max_fps` frames per second.',
    'device.option.max-fps.default': 'A device takes 30 frames per second by default.',
  }),
  ...option.built('max_frame_bytes', {
    'device.option.max-frame-bytes': 'A device refuses a frame larger than `max_frame_bytes`.',
    'device.option.max-frame-bytes.default': 'A frame may have 5 MB by default.',
  }),
  ...option.built('ingest_scopes', {
    'device.option.ingest-scopes': 'Sending frames and telemetry takes the ingest scopes of the device.',
    'device.option.ingest-scopes.default': 'Sending takes `devices:ingest` by default.',
  }),
  ...option.built('read_scopes', {
    'device.option.read-scopes': 'Reading anything back takes the read scopes of the device.',
    'device.option.read-scopes.default': 'Reading takes `devices:read` by default.',
  }),
  ...option.built('tool', {
    'device.option.tool': 'With `tool: false` agents get no tools for the device.',
    'device.option.tool.default': 'Agents get tools for a device by default.',
  }),
  ...watcher.built('device', {
    'watcher.option.device': 'A watcher looks at the device it names.',
  }),
  ...watcher.built('agent', {
    'watcher.option.agent': 'A watcher runs the agent it names when something changed.',
  }),
  ...watcher.built('input', {
    'watcher.option.input': 'The agent is given the prompt of the watcher with the telemetry added.',
  }),
  ...watcher.built('every', {
    'watcher.option.every': 'A watcher ticks every so many seconds.',
  }),
  ...watcher.built('scopes', {
    'watcher.option.scopes': 'The agent runs with the scopes of the watcher as far as it has them itself.',
    'watcher.option.no-caller': 'A watcher has no caller whose authority could be added.',
  }),
  ...watcher.built('max_runs_per_hour', {
    'watcher.option.max-runs-per-hour': 'A watcher runs its agent no more often per hour than it declares.',
  }),
  ...watcher.built('webhook', {
    'watcher.option.webhook': 'Each insight of a watcher with a webhook is posted to it as JSON.',
  }),
  ...watcher.built('webhook_bearer_env', {
    'watcher.option.webhook-bearer':
      'The webhook is sent the bearer token in the variable the watcher names.',
  }),
  ...insight.built('type', { 'insight.type': 'The `type` of an insight is always `insight`.' }),
  ...insight.built('watcher', { 'insight.watcher': 'An insight names its watcher.' }),
  ...insight.built('device', { 'insight.device': 'An insight names its device.' }),
  ...insight.built('agent', { 'insight.agent': 'An insight names the agent that ran.' }),
  ...insight.built('seq', {
    'insight.seq': 'An insight carries the number of the frame it saw.',
  }),
  ...insight.built('status', {
    'insight.status': 'An insight carries how the run ended; a run that went well says `completed`.',
  }),
  ...insight.built('output', {
    'insight.output': 'An insight carries the answer of the agent.',
  }),
  ...insight.built('error', { 'insight.error': 'An insight carries an error text or null.' }),
  ...insight.built('run_id', { 'insight.run-id': 'An insight carries the id of its run.' }),
  ...insight.built('tokens', { 'insight.tokens': 'An insight carries the tokens it cost.' }),
  ...insight.built('at_ms', {
    'insight.at-ms': 'An insight carries its time in epoch milliseconds.',
  }),
  ...record.built('hello', {
    'device.record.hello': 'A `hello` record holds the device and its recent insights.',
  }),
  ...record.built('frame header', {
    'device.record.frame': 'A `frame` record holds `seq`, `media_type`, `bytes` and `at_ms`.',
  }),
  ...record.built('telemetry', {
    'device.record.telemetry': 'A `telemetry` record holds the reading as `data`.',
  }),
  ...record.built('lagged', {
    'device.record.lagged': 'A `lagged` record holds the number `skipped`.',
  }),
];
