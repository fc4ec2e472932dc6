// A device that every chat of its person can call: KEYTURN_TOKEN=… node device.js
// It needs Node 22. In a clone of Keyturn, run this first: npm run build:packages
// Pair it first: /device laptop in a chat, then curl -X POST -H 'X-Pairing-Code: CODE' http://127.0.0.1:42617/pair
import { hostname, platform, uptime } from 'node:os';
import { connect, tool } from '@keyturn/client';

const deviceInfo = tool({
  name: 'device_info',
  description: 'What device this is, and how long it has been running.',
  handler: () => ({ name: hostname(), platform: platform(), uptime_secs: Math.round(uptime()) }),
});

const notify = tool({
  name: 'notify',
  description: 'Shows a text to the person at this device.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => console.log(`🔔 ${text}`),
});

const client = connect({ url: 'ws://127.0.0.1:42617', token: process.env.KEYTURN_TOKEN, tools: [deviceInfo, notify] });
console.log('closed:', await client.closed);
