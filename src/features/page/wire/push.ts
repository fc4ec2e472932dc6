/* Whether this browser is told of what waits while no tab is open. */

/** `GET /page/push/key` */
export interface PushKey {
  /** What the browser subscribes with: an uncompressed point of P-256, in base64url. */
  readonly key: string;
}

/** `POST /page/push/subscribe` with the subscription as the browser writes it; `POST /page/push/unsubscribe`. */
export interface PushState {
  readonly isSubscribed: boolean;
}

/** What the worker is sent, as JSON. It says nothing of what waits. */
export interface PushText {
  readonly title: string;
  /** Of the notification: a newer one with the same takes its place. */
  readonly tag: string;
  readonly language: 'en' | 'zh';
}
