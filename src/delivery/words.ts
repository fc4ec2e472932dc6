import { catalogue } from '../lib/words.ts';

/** Why a message could not be shown, as a clause without a full stop. */
export const deliveryWords = catalogue({
  en: {
    stoppedWhileSent: ({ times }: { readonly times: number }) =>
      times === 1 ? 'Keyturn was stopped while it was sent' : `Keyturn was stopped ${times} times while it was sent`,
    ownFault: 'Keyturn has a fault of its own there: its log has more',
    outcomeUnknown: ({ reason }: { readonly reason: string }) => `outcome unknown: ${reason}`,
  },
  zh: {
    stoppedWhileSent: ({ times }) => (times === 1 ? '发送途中 Keyturn 停止了' : `发送途中 Keyturn 停止了 ${times} 次`),
    ownFault: 'Keyturn 内部出错，详情见日志',
    outcomeUnknown: ({ reason }) => `结果未知（${reason}）`,
  },
});
