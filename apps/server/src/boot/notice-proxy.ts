import type { RequestListener } from 'node:http';
import type { Log } from '@waymark/contract/engine';

/**
 * Says once, in the log, that a proxy seems to stand in front of a server that was told of none: all who come through
 * it count as one address then, and are limited and logged as one.
 */
export function noticeProxy(listener: RequestListener, log: Log): RequestListener {
  let handle: RequestListener = (req, res) => {
    if (req.headers['x-forwarded-for'] !== undefined) {
      handle = listener;
      log('warn', 'X-Forwarded-For arrives and is not believed', {
        fix: 'set trustProxy to the number of proxies in front, or to 0 if there is none',
      });
    }
    listener(req, res);
  };
  return (req, res) => handle(req, res);
}
