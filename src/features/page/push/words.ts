import { catalogue } from '../../../lib/words.ts';

/** What browsers show while no tab is open, and why one cannot be told. Plain text. */
export const pushWords = catalogue({
  en: {
    waits: 'Something waits for your decision',
    wrong:
      'That is no subscription as browsers make them: its address must begin with https, and its keys must be whole.',
    refused: 'Keyturn sends nothing there: it is in a private network, or at a port of another service.',
  },
  zh: {
    waits: '有事项等待你决定',
    wrong: '这不是浏览器生成的订阅：地址必须以 https 开头，密钥必须完整。',
    refused: 'Keyturn 不会向那里发送：它在私有网络中，或使用了其他服务的端口。',
  },
});
