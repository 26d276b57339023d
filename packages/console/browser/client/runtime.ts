// What the generated client imports: the runtime of every client, which is bundled here.
export {
  type CallOptions,
  connect,
  type JsonObject,
  type NoInput,
  type ProgressOptions,
} from '@waymark/client-gen/runtime';
