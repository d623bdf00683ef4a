"""Media, speech, conversations."""

from making import ROLE, client, fails, in_state, makes, ok, poke


@makes("medialive")
def channels():
    live = client("medialive")

    @in_state("medialive", "Channel", state="IDLE")
    def channel(name):
        return live.create_channel(Name=name)["Channel"]["Id"]

    yield ok("ChannelCreated", ChannelId=channel("a"))
    yield fails("ChannelCreated", ChannelId=channel("b", "CREATE_FAILED"))
    yield ok("ChannelRunning", ChannelId=channel("c", "RUNNING"))
    yield ok("ChannelStopped", ChannelId=channel("d"))
    yield ok("ChannelDeleted", ChannelId=channel("e", "DELETED"))

    @in_state("medialive", "Input", state="ATTACHED")
    def source(name):
        return live.create_input(Name=name, Type="RTP_PUSH")["Input"]["Id"]

    yield ok("InputAttached", InputId=source("a"))
    yield ok("InputDetached", InputId=source("b", "DETACHED"))
    yield ok("InputDeleted", InputId=source("c", "DELETED"))


@makes("mediaconnect")
def flows():
    connect = client("mediaconnect")

    @in_state("mediaconnect", "Flow", status="ACTIVE")
    def flow(name):
        return connect.create_flow(Name=name, Source={"Name": name, "Protocol": "rtp"})["Flow"]["FlowArn"]

    broken = flow("broken", "ERROR")
    yield ok("FlowActive", FlowArn=flow("on"))
    yield fails("FlowActive", FlowArn=broken)
    yield ok("FlowStandby", FlowArn=flow("off", "STANDBY"))
    yield fails("FlowStandby", FlowArn=broken)
    yield ok("FlowDeleted", FlowArn="arn:aws:mediaconnect:us-east-1:123456789012:flow:1:missing")
    yield fails("FlowDeleted", FlowArn=broken)


@makes("transcribe")
def transcriptions():
    transcribe = client("transcribe")
    media = {"MediaFileUri": "s3://things/speech.mp3"}
    for name, status, state in (("good", "COMPLETED", "READY"), ("bad", "FAILED", "FAILED")):
        expected = ok if name == "good" else fails
        transcribe.start_transcription_job(TranscriptionJobName=name, LanguageCode="en-US", Media=media)
        poke("transcribe", "FakeTranscriptionJob", name, status=status)
        yield expected("TranscriptionJobCompleted", TranscriptionJobName=name)
        transcribe.start_medical_transcription_job(
            MedicalTranscriptionJobName=name,
            LanguageCode="en-US",
            Media=media,
            OutputBucketName="things",
            Specialty="PRIMARYCARE",
            Type="DICTATION",
        )
        poke("transcribe", "FakeMedicalTranscriptionJob", name, status=status)
        yield expected("MedicalTranscriptionJobCompleted", MedicalTranscriptionJobName=name)
        transcribe.create_vocabulary(VocabularyName=name, LanguageCode="en-US", Phrases=["bide"])
        poke("transcribe", "FakeVocabulary", name, status=state)
        yield expected("VocabularyReady", VocabularyName=name)
        transcribe.create_medical_vocabulary(
            VocabularyName=name, LanguageCode="en-US", VocabularyFileUri="https://s3.us-east-1.amazonaws.com/things/v"
        )
        poke("transcribe", "FakeMedicalVocabulary", name, status=state)
        yield expected("MedicalVocabularyReady", VocabularyName=name)


@makes("lexv2-models")
def bots():
    lex = client("lexv2-models")

    @in_state("lexv2-models", "FakeBot", status="Available")
    def bot(name):
        return lex.create_bot(
            botName=name,
            roleArn=ROLE,
            dataPrivacy={"childDirected": False},
            idleSessionTTLInSeconds=60,
        )["botId"]

    @in_state("lexv2-models", "FakeBotAlias", status="Available")
    def alias(name):
        return lex.create_bot_alias(botAliasName=name, botId=on)["botAliasId"]

    on = bot("on")
    yield ok("BotAvailable", botId=on)
    yield fails("BotAvailable", botId=bot("off", "Failed"))
    yield ok("BotAliasAvailable", botId=on, botAliasId=alias("live"))
    yield fails("BotAliasAvailable", botId=on, botAliasId=alias("dead", "Failed"))


@makes("bedrock-agentcore-control")
def memories():
    control = client("bedrock-agentcore-control")

    @in_state("bedrock-agentcore-control", "Memory", status="ACTIVE")
    def memory(name):
        return control.create_memory(name=name, eventExpiryDuration=30)["memory"]["id"]

    yield ok("MemoryCreated", memoryId=memory("good"))
    yield fails("MemoryCreated", memoryId=memory("bad", "FAILED"))
