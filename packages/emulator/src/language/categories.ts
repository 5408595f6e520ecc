/** What texts are sorted into. */
export interface Category {
  /** What it is called, in all languages. */
  names: readonly string[];
  /** Beginnings of words, or runs of characters, that speak for it. */
  cues: readonly string[];
}

/**
 * A category per line: what it is called, and what speaks for it, in English, German and Chinese. `_` stands for a blank; cues are
 * beginnings of words.
 */
const TABLE = `
positive positiv good gut happy zufrieden 正面 积极 好评 满意 | great excellent wonderful love lovely amazing perfect fantastic delicious friendly clean enjoy happy recommend best awesome thank helpful beautiful comfortable fast pleasant superb satisfied toll super ausgezeichnet wunderbar liebe perfekt lecker freundlich sauber empfehl begeister zufrieden schön hervorragend hilfsbereit gemütlich schnell angenehm klasse großartig 很好 非常好 棒 喜欢 满意 推荐 好吃 干净 热情 漂亮 舒适 完美 优秀 方便 开心 不错 感谢 周到
negative negativ bad schlecht unhappy unzufrieden 负面 消极 差评 不满 | bad terrible awful horrible dirty rude cold broken slow worst hate disappoint poor unfriendly noisy late wrong refund never_again overpriced waste useless annoy angry stale smelly schlecht furchtbar schrecklich schmutzig dreckig unfreundlich kalt kaputt langsam enttäusch laut verspätet nie_wieder überteuert nutzlos ärger wütend unverschämt defekt 差 糟糕 脏 坏 冷 慢 失望 难吃 吵 贵 迟到 生气 后悔 恶劣 破 不满 再也不 讨厌
neutral neutral 中性 中立 | okay average ordinary neither so-so fine durchschnittlich in_ordnung mittelmäßig normal 一般 还行 普通
billing rechnung payment zahlung invoice bezahlung 账单 付款 支付 财务 | charge bill invoice payment paid pay subscription refund credit_card price double twice money fee bank rechnung bezahl zahlung abgebucht abbuchung abo lastschrift kreditkarte betrag gebühr doppelt geld 扣款 扣费 账单 发票 付款 支付 退款 信用卡 订阅 费用 收费 多扣
technical technik technisch tech it support 技术 技术支持 | error crash bug login password screen freeze install update app server website page button connect load device software fehler absturz stürzt passwort anmeld bildschirm update app server webseite verbind lädt gerät software installier 崩溃 报错 登录 密码 死机 安装 更新 软件 打不开 网页 服务器 连接 加载 系统 闪退
shipping versand delivery lieferung logistics 物流 配送 快递 发货 | ship deliver package parcel track courier arriv transit sent address post versand liefer paket sendung zustell unterwegs angekommen adresse post kurier 包裹 快递 配送 发货 送到 送达 物流 签收 在路上 地址 没有收到 运单
account konto profile login 账户 账号 | account login log_in password profile username sign_in register konto anmeld passwort profil benutzer registrier 账户 账号 登录 密码 注册 用户名
returns return rückgabe retoure refund erstattung 退货 退款 退换 | return send_back refund exchange unwanted rückgabe zurückgeb zurücksend umtausch erstatt retoure 退货 退回 退款 换货 不想要
complaint beschwerde 投诉 抱怨 | complain disappoint broken damage missing late wrong unacceptable rude terrible never dirty replace beschwer enttäusch kaputt beschädig fehlt verspätet falsch unverschämt schrecklich reklam mangel defekt 投诉 失望 坏 损坏 缺 迟 错 太差 不满 抱怨 恶劣 破
order bestellung purchase kauf 订单 订购 下单 | order buy purchase please_send quantity boxes pieces deliver_to bestell kauf bitte_schicken bitte_liefern kartons stück lieferung_bitte 订购 下单 购买 买 请寄 请发 订 箱 件
question frage inquiry anfrage 咨询 问题 询问 提问 | ? how what when where can_i could_you do_you is_it wie was wann wo kann_ich können_sie haben_sie gibt_es ? ？ 吗 怎么 如何 请问 什么 能否 可以
spam werbung advertising ad advertisement phishing 垃圾邮件 广告 垃圾 | congratulations won winner prize free click claim lottery offer limited_time act_now cruise casino bonus earn_money cheap discount gewonnen gewinn preis gratis kostenlos klick angebot nur_heute rabatt sonderangebot casino 中奖 恭喜 免费 点击 领取 大奖 限时 优惠 赚钱 贷款
urgent dringend urgency important wichtig 紧急 重要 | urgent immediately asap right_now down outage emergency cannot no_one nobody blocked critical today deadline now crash dringend sofort umgehend ausgefallen ausfall notfall niemand blockiert kritisch heute_noch frist gerade jetzt 紧急 马上 立即 立刻 崩溃 瘫痪 宕机 无法 没有顾客 现在 尽快 中断
bug bug_report error fehler fehlermeldung defect 故障 错误 缺陷 报错 | crash error bug broken fail freeze doesn't_work not_working wrong since_the_update absturz stürzt fehler kaputt friert funktioniert_nicht geht_nicht seit_dem_update 崩溃 闪退 报错 死机 不能用 打不开 卡住 失败 出错
feature feature_request suggestion wish wunsch vorschlag idea idee improvement 建议 需求 功能请求 改进 | would_be_great would_like wish could_you_add please_add suggest it_would feature hope missing_option should_have wäre_schön wäre_toll wünsch könntet_ihr vorschlag hätte_gern es_wäre einbauen 希望 建议 能不能增加 如果能 最好 增加 想要 期待
praise lob compliment 表扬 赞扬 好评 | great love thank awesome well_done excellent perfect amazing fantastic best toll super danke lieb perfekt großartig klasse begeister 很好 喜欢 感谢 太棒 棒 谢谢 点赞 完美
sports sport 体育 运动 | match goal team player coach league score championship win football tennis olympic spiel tor mannschaft spieler trainer liga meister sieg fußball 比赛 进球 球队 球员 教练 联赛 冠军 足球
politics politik 政治 时政 | government parliament minister election vote law president party policy council regierung parlament minister wahl gesetz präsident partei bundestag stadtrat 政府 议会 总统 选举 法律 党 部长 政策
business wirtschaft economy finance finanzen 财经 商业 经济 | market stock profit company revenue bank invest share trade quarter merger aktie gewinn unternehmen umsatz börse investition handel quartal 股票 市场 利润 公司 投资 银行 营收 季度
technology science wissenschaft 科技 科学 | computer software research scientist phone chip robot ai space study internet forsch wissenschaft handy roboter weltraum studie rechner 电脑 软件 研究 科学家 手机 芯片 机器人 人工智能 航天
health gesundheit medicine 健康 医疗 | doctor hospital patient disease virus vaccine medicine symptom arzt krankenhaus patient krankheit impf medikament 医生 医院 病人 疾病 疫苗 药 症状
food essen restaurant 美食 餐饮 | meal dish restaurant recipe cook taste delicious menu gericht restaurant rezept koch schmeckt speise 菜 餐厅 食谱 做饭 好吃 菜单
travel reise reisen tourism 旅游 旅行 | trip hotel flight beach tour holiday airport luggage reise hotel flug strand urlaub flughafen koffer 旅行 酒店 航班 海滩 旅游 机场 行李
other sonstiges other_request misc andere rest 其他 其它 |
`;

export const CATEGORIES: readonly Category[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [names = "", cues = ""] = line.split("|");
    return { names: wordsIn(names), cues: wordsIn(cues) };
  });

function wordsIn(column: string): string[] {
  return column
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => word.replaceAll("_", " "));
}
