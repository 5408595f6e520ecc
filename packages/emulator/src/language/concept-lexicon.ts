import { stem } from "./stem.js";

/**
 * Words that mean about the same, one concept per line; two words joined by `_` are a phrase. The list is plain
 * knowledge of everyday, product, office and software language in English, German and Chinese.
 */
const CONCEPTS = `
refund reimburse reimbursement moneyback money_back repay 退款 退钱 退费 erstattung erstatten rückerstattung erstatte geld_zurück zurückerstatten money_back
return send_back give_back 退货 退回 归还 zurückgeben zurückschicken rückgabe retoure
price cost fee charge expense pricing tariff how_much 价格 费用 收费 多少钱 花费 价钱 preis preise kosten kostet gebühr gebühren
bill invoice billing receipt statement 账单 发票 收据 rechnung rechnungen quittung beleg
pay paid payment checkout settle remit 付款 支付 缴费 bezahlen bezahlt zahlen zahlung zahle
buy bought purchase order acquire shop 购买 下单 订单 订购 kaufen kaufe bestellen bestelle bestellung bestellungen bestellt bestell
sell sold sale vendor seller merchant retailer 出售 销售 卖家 商家 verkaufen verkauf verkäufer
discount coupon rebate markdown promo promotion voucher offer deal 折扣 优惠 打折 优惠券 rabatt gutschein ermäßigung
cheap affordable inexpensive low_cost budget economical 便宜 实惠 günstig günstige günstiges günstigen billig preiswert
expensive costly pricey dear premium 昂贵 teuer teure
car automobile vehicle auto sedan 汽车 轿车 车辆 auto wagen fahrzeug
bus coach shuttle 公交 巴士
bicycle bike cycle cycling 自行车 单车
train railway rail locomotive 火车 铁路 高铁 zug bahn züge
plane airplane aircraft flight fly airline jet 飞机 航班 航空 flug flüge flieger flugzeug fliegen 机票
boat ship vessel ferry yacht 船 轮船
key secret token api_key 密钥 凭证 schlüssel
password passphrase passcode pin login signin sign_in log_in logon authenticate authentication credential 密码 口令 登录 登陆 认证 passwort kennwort anmelden anmeldung
register signup sign_up enroll registration onboard 注册 报名 registrieren registrierung
limit quota cap maximum ceiling allowance threshold 限额 配额 上限 限制
throttle throttling rate_limit ratelimit too_many 限流 限速
delete remove erase purge wipe clear discard 删除 移除 清除 löschen lösche lösch entfernen entferne 删掉 去掉
create make made generate produce build built construct 创建 生成 制作 建立 erstellen erstelle erstell anlegen lege erzeugen erzeuge generiere 新建 添加 增加
error failure fail bug fault defect problem issue crash broken broke malfunction 错误 故障 失败 问题 报错 fehler ausfall kaputt defekt problem
fix repair resolve mend solve correct troubleshoot 修复 修理 解决 维修 reparieren reparatur beheben
picture image photo photograph graphic 图片 图像 照片 bild bilder foto fotos
video clip movie film footage 视频 影片 电影
audio sound speech voice acoustic 音频 声音 语音
music song tune melody track 音乐 歌曲 musik lied lieder
text word document writing prose 文本 文字 文档 dokument dokumente
file attachment folder directory 文件 附件 文件夹 datei dateien ordner
book novel volume publication 书 书籍 小说 buch bücher
read reading peruse 阅读 读取 lesen lies 读 打开
write written wrote author compose draft 撰写 写作 编写 schreiben schreib schreibe verfasse
doctor physician medic clinician surgeon 医生 大夫
hospital clinic infirmary 医院 诊所
medicine drug medication pill pharmaceutical 药 药品 药物
sick ill illness disease unwell ailment 生病 疾病 病假
pain ache hurt sore 疼痛 疼
health wellness wellbeing fitness medical healthcare 健康 医疗
begin began start launch commence initiate open 开始 启动 开启 beginnen starten starte 打开
end finish complete conclude close terminate 结束 完成 终止 beenden beende ende
stop halt cease quit pause 停止 暂停 stoppen stopp anhalten
cancel revoke call_off unsubscribe abort 取消 撤销 退订 stornieren storniere stornierung absagen kündigen kündige abbestellen 退掉
continue proceed resume keep_going 继续 恢复
ship deliver delivery shipping shipment dispatch courier parcel package 配送 发货 快递 送货 运输 物流 包裹 lieferung liefern paket versand sendung sendungen verschicken
arrive arrival reach 到达 抵达 送达 ankunft ankommen
leave left depart departure exit 离开 出发
holiday vacation pto time_off leave day_off break 假期 休假 年假 放假 urlaub urlaubstage ferien
employee staff worker personnel team_member colleague 员工 职员 同事 mitarbeiter angestellte
employer company firm business enterprise corporation organisation organization 公司 企业 雇主 firma unternehmen
boss manager supervisor lead head 经理 主管 上司
chief ceo president founder executive director 总裁 首席执行官 创始人 董事
hire recruit recruitment employ hiring 招聘 雇用 录用
fire dismiss lay_off layoff sack 解雇 裁员
resign quit_job step_down 辞职 离职
salary wage pay_packet compensation remuneration earnings income 工资 薪水 薪资 收入
bonus incentive reward perk 奖金 奖励
job work position role occupation employment career 工作 职位 岗位 职业
remote home telecommute work_from_home telework 远程 居家 在家
office workplace headquarters desk 办公室 总部
meeting conference appointment call session 会议 开会 termin besprechung treffen sitzung meeting 约会
schedule calendar timetable agenda 日程 日历 安排 时间表 kalender terminplan
deadline due due_date cutoff time_limit 截止 期限 最后期限
overtime extra_hours 加班
train_staff training course lesson class tutorial workshop 培训 课程 教程
teach taught educate instruct coach tutor 教 教学 教导
teacher instructor educator professor lecturer 老师 教师 教授
student pupil learner 学生 学员
school college university academy campus 学校 大学 学院
exam test quiz assessment 考试 测验 测试
learn study master 学习
slow latency delay lag sluggish wait 慢 延迟 缓慢 等待 langsam
fast quick speed rapid swift prompt 快 快速 速度 迅速
big large huge giant enormous massive 大 巨大 大型
small little tiny mini compact 小 微小 小型
long lengthy extended 长
short brief concise 短 简短
high tall elevated 高 高度
low reduced minimal 低
heavy weight weigh mass load 重 重量 体重
light lightweight 轻
hot warm heat temperature warmth 热 温度 炎热 加热
cold cool chill chilly freezing 冷 寒冷 低温
freeze frozen ice icy 冰 冰冻 冻结
rain rainfall shower wet precipitation 雨 下雨 降雨
snow snowfall blizzard 雪 下雪
weather climate forecast 天气 气候 预报
wind breeze gust storm 风 大风
sun sunny solar sunshine 太阳 阳光 太阳能
water aqua moisture liquid 水 液体
waterproof water_resistant splashproof watertight 防水
fire_hazard blaze flame burn 火 火灾 燃烧
help support assist assistance aid customer_service 帮助 支持 协助 客服
contact reach_out get_in_touch email_us phone_us 联系 联络
email mail e_mail inbox message 邮件 邮箱 电子邮件
phone telephone mobile cellphone call_number smartphone 电话 手机
address location place whereabouts situated located where 地址 位置 地点 在哪里 哪里
change modify update edit alter adjust amend revise 修改 更改 更新 变更 编辑
replace swap substitute exchange 更换 替换 换货
upgrade improve enhance better 升级 改进 提升
downgrade reduce decrease lower cut 降级 减少 降低
increase raise grow growth rise expand 增加 提高 增长 上升
store save keep kept retain retention preserve hold held 保存 存储 保留 储存
backup back_up copy snapshot replicate archive 备份 复制 归档
restore recover recovery rollback undo 恢复 还原 找回
lose lost missing misplace 丢失 遗失 丢
find found search look_up locate discover seek 查找 搜索 寻找 找到
show display view present see 显示 查看 展示
hide conceal mask 隐藏
send sent transmit submit forward 发送 提交 转发
receive get got obtain collect 收到 接收 获取 领取
upload import ingest 上传 导入
download export fetch 下载 导出
install setup set_up deploy deployment configure configuration 安装 部署 配置 设置
uninstall 卸载
restart reboot reset power_cycle 重启 重置
turn_on switch_on enable activate power_on activation 打开 启用 激活 开机
turn_off switch_off disable deactivate shut_down shutdown 关闭 停用 禁用 关机
button switch knob lever 按钮 开关 按键
screen monitor display_panel 屏幕 显示器 显示屏
keyboard mouse peripheral 键盘 鼠标
computer laptop pc notebook desktop 电脑 笔记本 计算机
server host machine node_server 服务器 主机
database sql storage_engine datastore 数据库
data information record dataset 数据 信息 资料
network internet wifi connection connectivity online 网络 互联网 联网 连接
offline disconnected unplugged 离线 断网
website site webpage web_page portal 网站 网页
software application app program 软件 应用 程序
code source programming develop script 代码 编程 开发 脚本
developer programmer engineer coder 开发者 程序员 工程师
version release edition build_number 版本 发布
language tongue dialect locale 语言
translate translation interpret localise 翻译
security secure protect protection safe safety guard 安全 保护 保障
privacy private confidential personal_data 隐私 私密 保密
encrypt encryption cipher tls ssl 加密
hack breach attack intrusion compromise leak vulnerability 攻击 漏洞 泄露 入侵
virus malware trojan ransomware 病毒 恶意软件
permission access authorise authorize authorisation right role_access 权限 授权 访问
admin administrator superuser root 管理员
user customer client subscriber member account_holder 用户 客户 会员 顾客
account profile 账户 账号 帐号
subscription plan tier membership package_plan 订阅 套餐 方案 会员
trial free_trial demo evaluation 试用 体验
free gratis no_charge complimentary 免费
warranty guarantee guaranteed coverage 保修 质保 担保 保证
insurance insure policy_cover insured 保险
contract agreement terms 合同 协议 条款
law legal legislation regulation statute 法律 法规
rule policy guideline regulation_rule procedure 规则 政策 规定 制度
tax vat duty levy 税 税费 税收
bank banking lender 银行
loan credit borrow mortgage lend 贷款 借款 借
debt owe liability 债务 欠款
invest investment stock share equity 投资 股票
profit revenue turnover gain margin 利润 营收 盈利
currency money cash dollar euro yuan 货币 钱 现金 美元
exchange_rate conversion 汇率
travel trip journey tour voyage 旅行 旅游 出行
hotel accommodation lodging hostel room 酒店 住宿 宾馆 房间
book reserve reservation booking 预订 预约
ticket pass fare 票 门票 车票
airport terminal gate 机场 航站楼
luggage baggage suitcase bag 行李 箱子
passport visa identity_document 护照 签证
map navigation route direction 地图 路线 导航
park parking garage car_park 停车 车库 停车场
road street highway avenue 道路 街道 公路
city town municipality urban 城市 市
country nation state 国家
capital capital_city seat_of_government 首都
river stream creek waterway 河 河流 江
mountain peak hill summit 山 山峰
sea ocean marine 海 海洋
island isle 岛 岛屿
forest woods jungle woodland 森林 树林
tree plant vegetation shrub 树 植物
flower bloom blossom 花 花朵
garden yard lawn gardening 花园 园艺
animal creature beast wildlife 动物
dog puppy hound canine 狗 犬
cat kitten feline 猫
bird fowl avian 鸟
fish seafood salmon tuna 鱼 海鲜
horse pony mare 马
pet companion_animal 宠物
food meal dish cuisine eat dining 食物 餐 吃 饮食 菜
breakfast lunch dinner supper brunch 早餐 午餐 晚餐
restaurant cafe canteen diner eatery 餐厅 饭店 食堂
cook bake fry boil grill roast recipe 烹饪 做饭 烤 煮 食谱
drink beverage sip 饮料 喝
coffee espresso latte brew 咖啡
tea matcha 茶 茶叶
wine beer alcohol liquor 酒 葡萄酒 啤酒
sugar sweet dessert candy cake 糖 甜 甜点 蛋糕
salt salty seasoning 盐
bread loaf dough flour sourdough 面包 面粉
milk dairy cheese yogurt 牛奶 乳制品 奶酪
meat beef pork chicken 肉 牛肉 猪肉 鸡肉
vegetable greens veggie salad 蔬菜
fruit apple banana orange berry 水果
vegan vegetarian plant_based 素食 纯素
allergy allergic allergen intolerance 过敏
diet nutrition calorie nutrient 饮食 营养 卡路里
exercise workout gym training_session 锻炼 健身 运动
sport athletics game match 体育 比赛
football soccer 足球
basketball hoops 篮球
swim swimming pool 游泳
run ran running jog marathon 跑步 马拉松
win won victory champion triumph 获胜 冠军 赢
lose_game defeat beaten 失败 输
play game gaming toy 玩 游戏
house home_building residence dwelling apartment flat 房子 住宅 公寓
rent lease tenant landlord rental 租 租金 租赁 房东
furniture sofa chair table couch 家具 椅子 桌子
kitchen stove oven microwave 厨房 烤箱 微波炉
bed sleep mattress nap rest 床 睡觉 睡眠
clean wash laundry tidy cleaning scrub 清洁 清洗 洗 打扫
dirty stain filthy mess 脏 污渍
clothes clothing garment apparel outfit wear 衣服 服装 穿
shoe footwear boot sneaker 鞋 鞋子
size dimension measurement measure 尺寸 大小 尺码
colour color hue shade 颜色 色彩
red crimson scarlet 红色
blue navy azure 蓝色
green emerald 绿色
black dark 黑色
white pale 白色
material fabric cotton leather cloth 材料 面料 材质
metal steel iron aluminium aluminum 金属 钢 铁
wood wooden timber 木头 木材
plastic polymer 塑料
glass crystal pane 玻璃
battery charge rechargeable power_cell recharge 电池 充电
electricity electric power energy electrical 电 电力 能源
fuel gas petrol gasoline diesel 燃料 汽油
engine motor drivetrain 发动机 引擎 电机
noise loud noisy volume 噪音 吵 音量
quiet silent mute silence 安静 静音
environment ecology green_policy sustainable sustainability eco 环境 环保 可持续
recycle recycling reuse waste garbage trash rubbish dispose 回收 垃圾 废物
pollution emission contaminant carbon 污染 排放
family parent child kid relative 家庭 孩子 父母 儿童
baby infant newborn maternity paternity parental 婴儿 宝宝 产假 育儿
marry wedding marriage spouse 结婚 婚礼 配偶
friend buddy pal companion 朋友
man male guy gentleman 男人 男性
woman female lady 女人 女性
old age elderly senior ancient 老 年龄 年老
young youth teenager junior 年轻 青年
birth birthday born 生日 出生
die death dead deceased 死亡 去世
happy glad joy pleased satisfied delighted satisfaction 高兴 开心 满意 快乐
sad unhappy upset sorrow disappointed 伤心 难过 失望
angry furious annoyed mad irritated 生气 愤怒
fear afraid scared frightened 害怕 恐惧
love like enjoy fond adore prefer favourite favorite preference 喜欢 爱 最爱 偏好
hate dislike detest 讨厌 恨
good great excellent nice fine quality 好 优秀 质量
bad poor terrible awful worst 差 糟糕 坏
important critical essential vital key_point crucial 重要 关键
urgent emergency immediate asap priority 紧急 急 优先
easy simple straightforward effortless 简单 容易
hard difficult tough challenging complex complicated 困难 难 复杂
new recent latest modern fresh 新 最新 最近
same equal identical alike 相同 一样
different distinct unlike other_kind 不同 区别
compare comparison contrast versus 比较 对比
choose chose chosen select pick option choice 选择 选项 挑选
decide decision determine judge 决定 判断
think thought believe opinion consider 认为 想 意见
know knew known knowledge aware understand comprehend 知道 了解 理解 知识
remember recall memory memorise memorize 记得 记忆 记住
forget forgotten 忘记 忘
ask question query inquire enquiry 问 提问 询问
answer reply respond response 回答 答复 回应
say said tell told speak spoke state mention 说 告诉 讲
explain describe clarify explanation description 解释 说明 描述
report complain complaint feedback escalate 投诉 报告 反馈
review rating evaluate star critique 评价 评分 评论
approve accept consent authorise_request permit allow 批准 同意 允许 接受
reject refuse deny decline forbid prohibit ban 拒绝 禁止
require need must necessary mandatory requirement compulsory 需要 必须 要求
optional voluntary elective 可选
verify check confirm validate inspect verification 验证 检查 确认 核实
count number amount quantity total how_many 数量 总数 多少
average mean median typical 平均
percent percentage ratio proportion 百分比 比例
add plus sum append 添加 加 增添
subtract minus deduct 减 扣除
multiply times product_of 乘
divide split share_out 除 分割
first initial earliest primary 第一 首先 最初
last final latest_one ultimate 最后 最终
before prior earlier ahead in_advance 之前 提前 事先
after later following afterwards 之后 以后
daily every_day per_day 每天 每日
weekly every_week per_week 每周
monthly every_month per_month 每月 按月
yearly annual annually every_year per_year 每年 年度
day date 天 日期
week fortnight 周 星期
month quarter 月 季度
year decade 年
hour o_clock hourly 小时 钟头
minute second moment 分钟 秒
morning dawn a_m 早上 上午 早晨
evening night p_m midnight 晚上 夜间
opening_hours business_hours open_time working_hours opening_time 营业时间 工作时间 开门
weekend saturday sunday 周末
history past historical heritage 历史 过去
future upcoming next 未来 将来
war battle conflict military army 战争 军队
peace truce 和平
government state_authority administration authorities 政府
election vote ballot poll 选举 投票
police officer cop law_enforcement 警察
crime theft steal robbery fraud scam 犯罪 盗窃 诈骗 偷
science scientific research study_of experiment 科学 研究 实验
physics quantum mechanics 物理
chemistry chemical compound reaction 化学
biology cell organism gene dna 生物 细胞 基因
math mathematics algebra geometry calculation 数学 计算
planet orbit astronomy celestial 行星 轨道 天文
star galaxy universe cosmos 星星 宇宙 星系
moon lunar 月亮 月球
earth globe world 地球 世界
space spacecraft rocket satellite astronaut 太空 火箭 卫星 宇航员
light_speed photon 光 光速
machine_learning ai artificial_intelligence neural_network deep_learning 人工智能 机器学习
model llm language_model 模型
embedding vector semantic_vector 向量 嵌入
prompt instruction command 提示 指令
endpoint api interface route_path 接口 端点
request call_api query_api 请求 调用
timeout time_out expire expiry expiration expires valid validity 过期 超时 有效期 到期
log logging trace audit journal 日志 审计 记录
monitor monitoring observe alert metric 监控 告警 监测
test_code unit_test spec assertion qa 测试
debug debugging diagnose 调试 诊断
cache caching buffer 缓存
queue backlog pipeline line_up 队列 排队
task job_task todo assignment 任务
retry reattempt try_again resend 重试
webhook callback notification notify notice alert_message 通知 回调 提醒
cluster container kubernetes docker pod 集群 容器
cloud hosted saas 云 云端
memory_ram ram 内存
disk drive storage ssd capacity 磁盘 硬盘 容量
cpu processor chip gpu 处理器 芯片
camera lens webcam 相机 摄像头
print printer paper toner 打印 打印机 纸
pen pencil stationery 笔 文具
art painting drawing sculpture artist 艺术 绘画 画家
paint draw sketch 画
museum gallery exhibition 博物馆 展览
concert show performance theatre theater 演出 音乐会 剧院
news headline press journalism 新闻
advertise marketing advert campaign ads 广告 营销
brand logo trademark 品牌 商标
product item goods merchandise article 产品 商品 物品
stock_level inventory availability in_stock supply 库存 有货
factory manufacture manufacturing plant_site production 工厂 制造 生产
warehouse depot fulfilment fulfillment 仓库
farm agriculture crop farmer harvest 农场 农业 农作物
volunteer charity donate donation 志愿 慈善 捐赠
gift present_gift 礼物 赠品
party celebrate celebration festival 聚会 庆祝 节日
dress_code attire uniform 着装
guest visitor attendee 访客 客人 来宾
lock unlock bolt 锁 解锁
door entrance gateway_door 门 入口
window pane_window 窗户 窗
bridge span 桥 桥梁
tower skyscraper 塔 高楼
king queen monarch royal 国王 女王 皇室
sharp blade knife scissors 刀 锋利
bee honey hive pollinate 蜜蜂 蜂蜜
equipment device gadget hardware appliance machine_tool 设备 器材 装置
maintenance service_interval upkeep servicing overhaul 维护 保养
part component spare module 零件 部件 组件
temporary interim short_term 临时 暂时
permanent forever lifetime 永久 终身
minimum least at_least 最少 最低 至少
summary overview abstract outline gist 摘要 总结 概述 zusammenfassung zusammenfassen
example sample instance illustration 例子 示例
reason cause why because 原因 为什么
result outcome effect consequence 结果 效果
goal aim objective target purpose 目标 目的
advantage benefit pro upside 优点 好处 优势
disadvantage drawback con downside weakness 缺点 劣势
name called title named 名字 名称 姓名 叫 name heißt
who person people individual 谁 人 人员 person personen leute
weather forecast climate rain sunny umbrella wetter wetterbericht wettervorhersage vorhersage regen regnet 天气 气象 下雨 天气预报
temperature degrees warm cold temperatur grad 温度 气温
reserve reservation book booking booked reservieren reserviere reservierung buchen buche buchung 预订 预定 预约 订 订位 预留
table seat tisch tische platz 桌 桌子 位子 座位 餐位
restaurant dine dining dinner essen lokal gaststätte 餐厅 餐馆 饭店 吃饭
hotel accommodation lodging room hotels unterkunft zimmer 酒店 宾馆 住宿 旅馆
email mail message e_mail nachricht mails mailen 邮件 电子邮件 发邮件 短信 消息
send sent forward schicken schicke schick senden sende versenden versende 发送 发 寄 寄送 转发
search find look query lookup look_up suchen suche such finden finde nachschlagen nachsehen sieh 搜索 查找 查询 搜 查 查一下 找
convert conversion exchange umrechnen rechne umgerechnet wechselkurs umwandeln 换算 兑换 转换 汇率 换成
currency money dollar euro yuan pound währung geld dollars euros 货币 美元 欧元 人民币 英镑 日元 钱
calculate calculator compute math arithmetic expression berechnen berechne ausrechnen rechnen 计算 算 算一下 算出
translate translation translator übersetzen übersetze übersetzung übersetz 翻译 译成 译
remind reminder alert erinnern erinnere erinnerung wecker alarm 提醒 闹钟
list show display anzeigen zeige auflisten liste 列出 显示 查看
time clock uhrzeit 几点 时间 现在几点
handbook manual policy handbuch richtlinie anleitung 手册 规定 指南
city town place location stadt ort städte 城市 地方 地点
play listen spielen spiele spiel 播放 放
light lamp switch turn licht lampe einschalten ausschalten schalte anmachen 灯 开灯 关灯
update change modify edit ändern ändere aktualisieren bearbeite verschieben 修改 更改 更新
status track tracking where status_of verfolgen sendungsverfolgung 状态 跟踪 到哪
stock share ticker aktie aktienkurs kurs 股票 股价
account balance bank konto kontostand überweisung überweisen überweise 账户 余额 转账
note memo notiz notizen 笔记 备忘 记下
todo task aufgabe aufgaben erledigen 任务 待办
news headlines nachrichten schlagzeilen 新闻
route directions navigate route_to weg wegbeschreibung navigiere 路线 导航 怎么走
phone call dial telephone anrufen ruf telefon 打电话 电话
contact address_book kontakt kontakte 联系人
guest party gäste gast 客人 人数
product item article goods produkt artikel ware 产品 商品
quantity number_of menge anzahl stückzahl 数量
age years_old alter 年龄 岁
order_status purchase_order bestellstatus auftrag 订单状态
ticket issue support support_ticket anfrage vorgang 工单
urgent rush expedite express asap priority dringend eilig eilt sofort 加急 紧急
breakfast frühstück 早餐
vegetarian vegetarisch 素食
`;

const byWord = new Map<string, string[]>();
const byPhrase = new Map<string, string>();
const byCharacters = new Map<string, string>();
let longestCharacters = 0;

for (const line of CONCEPTS.trim().split("\n")) {
  const words = line.split(" ");
  const concept = words[0] ?? "";
  for (const word of words) {
    if (/\p{Script=Han}/u.test(word)) {
      byCharacters.set(word, concept);
      longestCharacters = Math.max(longestCharacters, word.length);
    } else if (word.includes("_")) {
      byPhrase.set(word.split("_").map(stem).join(" "), concept);
    } else {
      const concepts = byWord.get(stem(word)) ?? [];
      if (!concepts.includes(concept)) byWord.set(stem(word), [...concepts, concept]);
    }
  }
}

/** The concepts of a stemmed word: none, one, or several when it has several meanings. */
export function conceptsOfStem(wordStem: string): readonly string[] {
  return byWord.get(wordStem) ?? [];
}

/** The concept of two stemmed words in a row. */
export function conceptOfPhrase(firstStem: string, secondStem: string): string | undefined {
  return byPhrase.get(`${firstStem} ${secondStem}`);
}

/** The concepts in a run of CJK characters, which has no spaces: the longest word at each place. */
export function conceptsOfCharacters(run: string): string[] {
  const concepts: string[] = [];
  for (let index = 0; index < run.length; ) {
    let step = 1;
    for (let length = Math.min(longestCharacters, run.length - index); length > 0; length--) {
      const concept = byCharacters.get(run.slice(index, index + length));
      if (concept !== undefined) {
        concepts.push(concept);
        step = length;
        break;
      }
    }
    index += step;
  }
  return concepts;
}
