/** What stands at the end of an answer that the limit of tokens has cut: otherwise it may look complete. */
export const cutNotice =
  '✂️ *The answer ended here because the model reached its limit of tokens. Say "go on" for the rest.*';
