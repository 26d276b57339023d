// What the generated client imports: the runtime of every client, which is bundled here.
export {
  type CallOptions,
  connect,
  connectFeed,
  type FeedOptions,
  type JsonObject,
  type LiveEvent,
  type NoInput,
} from '@waymark/client-gen/runtime';
