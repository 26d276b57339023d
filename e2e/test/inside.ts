import type { Host, Plugin } from '@waymark/contract/engine';

/** A plugin that gives away what the plugins of its application are given: for what is done inside a server, and by no door. */
export function insidePlugin(): { readonly plugin: Plugin; readonly host: () => Host } {
  let given: Host | undefined;
  return {
    plugin: {
      name: 'inside',
      routes: [],
      start: (host) => {
        given = host;
      },
    },
    host() {
      if (!given) throw new Error('the application has not started');
      return given;
    },
  };
}
