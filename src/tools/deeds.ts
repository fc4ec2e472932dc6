/*
 * The deeds that are known by name, and how people ask for them in English and Chinese. A deed that is not in this table
 * is asked for by no words.
 */

/** Verbs of tools, and how people ask for them. Several groups may share a verb. */
export interface Deed {
  /** The words in names of tools. */
  readonly names: string;
  /** English, as orders are given. Those that are nouns, too, count at the beginning of a clause only. */
  readonly said: string;
  /** The same in Chinese. */
  readonly zh: string;
  /** It is clear only with what is done it to: `create_event` needs an event. */
  readonly isVague?: boolean;
  /** Only the person's own plans and notes: it may depend on what is read ("if it is free, book it"). */
  readonly isOwnAffair?: boolean;
  /** Words to somebody, who may be told what others say. */
  readonly isMessage?: boolean;
}

/** An order of a person, in lower case. */
export interface Order {
  /** From its verb to the next order of the sentence, without what it quotes. */
  readonly text: string;
  /** It is joined to another order, where a noun could stand as well. */
  readonly isJoined: boolean;
  /** It depends on something; `mayDepend`: it could, by a word that may also only say when. */
  readonly depends: boolean;
  readonly mayDepend: boolean;
  /** It is said to the assistant without doubt: nobody else is reported, nothing is invented, no wish is only told. */
  readonly isClear: boolean;
  /** The whole sentence, with what it quotes. */
  readonly sentence: string;
  readonly language: 'en' | 'zh';
}

export const deeds: readonly Deed[] = [
  {
    names: 'send mail email message notify tell write dm text forward reply respond answer speak',
    said: 'send mail e-?mail message notify tell write text forward reply respond answer inform post let ask',
    zh: '发送 发给 发(?:[一两]?[个条封])?(?:邮件|消息|短信|信) 发(?=[：:]|$) 寄 告诉 通知 回复 转发 写信',
    isMessage: true,
  },
  {
    names: 'pay refund donate tip wire remit transfer',
    said: 'pay refund donate tip wire remit transfer',
    zh: '支付 付款 付给 付 转账 转给 转(?=[\\d一二三四五六七八九十百千万两]) 汇款 汇 退款',
  },
  {
    names: 'remember store memorize memorise keep save',
    said: 'remember keep note memorize memorise save store write',
    zh: '记住 记下 记得 保存',
    isOwnAffair: true,
  },
  { names: 'remind', said: 'remind', zh: '提醒', isOwnAffair: true },
  { names: 'share', said: 'share', zh: '分享 共享' },
  { names: 'invite', said: 'invite', zh: '邀请' },
  { names: 'post publish release tweet toot', said: 'post publish release tweet toot', zh: '发布 发表 公开' },
  { names: 'comment', said: 'comment', zh: '评论', isMessage: true },
  { names: 'merge', said: 'merge', zh: '合并' },
  { names: 'close resolve', said: 'close resolve', zh: '关闭' },
  { names: 'reopen', said: 'reopen re-open', zh: '重新打开' },
  { names: 'lock', said: 'lock', zh: '锁定' },
  { names: 'unlock', said: 'unlock', zh: '解锁' },
  { names: 'approve accept', said: 'approve accept', zh: '批准 接受' },
  { names: 'reject decline', said: 'reject decline', zh: '拒绝' },
  { names: 'upload', said: 'upload', zh: '上传' },
  { names: 'assign', said: 'assign', zh: '指派 分配' },
  { names: 'join', said: 'join', zh: '加入' },
  { names: 'leave', said: 'leave', zh: '退出' },
  { names: 'subscribe', said: 'subscribe', zh: '订阅' },
  { names: 'unsubscribe', said: 'unsubscribe', zh: '退订' },
  { names: 'book reserve', said: 'book reserve', zh: '预订 预定 订', isOwnAffair: true },
  { names: 'buy order purchase', said: 'buy order purchase', zh: '购买 买' },
  { names: 'cancel', said: 'cancel', zh: '取消' },
  { names: 'reschedule', said: 'reschedule', zh: '改期', isOwnAffair: true },
  { names: 'schedule plan', said: 'schedule plan', zh: '安排', isOwnAffair: true },
  { names: 'move', said: 'move', zh: '移动 移到' },
  { names: 'rename', said: 'rename', zh: '重命名' },
  { names: 'delete remove', said: 'delete remove', zh: '删除 移除 删掉 删' },
  { names: 'star', said: 'star', zh: '标星', isOwnAffair: true },
  { names: 'label tag', said: 'label tag', zh: '标记', isOwnAffair: true },
  { names: 'append', said: 'append add', zh: '追加 添加', isVague: true, isOwnAffair: true },
  {
    names: 'create add make new open insert',
    said: 'create add make open insert start set\\s?up',
    zh: '创建 新建 添加 加',
    isVague: true,
    isOwnAffair: true,
  },
  {
    names: 'update set change edit modify adjust patch put',
    said: 'update set change edit modify adjust correct',
    zh: '更新 修改 改',
    isVague: true,
    isOwnAffair: true,
  },
  // Methods of HTTP, which are named as such.
  { names: 'http-post', said: 'post send submit', zh: '提交 发送' },
  { names: 'http-put', said: 'put replace', zh: '替换' },
  { names: 'http-patch', said: 'patch', zh: '修补' },
  { names: 'http-delete', said: 'delete', zh: '删除' },
];
