"""Media, speech, conversations."""

from making import ROLE, client, fails, makes, ok, poke


@makes("medialive")
def channels():
    live = client("medialive")

    def channel(name, state):
        identifier = live.create_channel(Name=name)["Channel"]["Id"]
        poke("medialive", "Channel", identifier, state=state)
        return identifier

    yield ok("ChannelCreated", ChannelId=channel("a", "IDLE"))
    yield fails("ChannelCreated", ChannelId=channel("b", "CREATE_FAILED"))
    yield ok("ChannelRunning", ChannelId=channel("c", "RUNNING"))
    yield ok("ChannelStopped", ChannelId=channel("d", "IDLE"))
    yield ok("ChannelDeleted", ChannelId=channel("e", "DELETED"))

    def source(name, state):
        identifier = live.create_input(Name=name, Type="RTP_PUSH")["Input"]["Id"]
        poke("medialive", "Input", identifier, state=state)
        return identifier

    yield ok("InputAttached", InputId=source("a", "ATTACHED"))
    yield ok("InputDetached", InputId=source("b", "DETACHED"))
    yield ok("InputDeleted", InputId=source("c", "DELETED"))


@makes("mediaconnect")
def flows():
    connect = client("mediaconnect")

    def flow(name, status):
        arn = connect.create_flow(Name=name, Source={"Name": name, "Protocol": "rtp"})["Flow"]["FlowArn"]
        poke("mediaconnect", "Flow", name, status=status)
        return arn

    broken = flow("broken", "ERROR")
    yield ok("FlowActive", FlowArn=flow("on", "ACTIVE"))
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

    def bot(name, status):
        identifier = lex.create_bot(
            botName=name,
            roleArn=ROLE,
            dataPrivacy={"childDirected": False},
            idleSessionTTLInSeconds=60,
        )["botId"]
        poke("lexv2-models", "FakeBot", identifier, status=status)
        return identifier

    def alias(name, status):
        identifier = lex.create_bot_alias(botAliasName=name, botId=on)["botAliasId"]
        poke("lexv2-models", "FakeBotAlias", identifier, status=status)
        return {"botId": on, "botAliasId": identifier}

    on = bot("on", "Available")
    yield ok("BotAvailable", botId=on)
    yield fails("BotAvailable", botId=bot("off", "Failed"))
    yield ok("BotAliasAvailable", **alias("live", "Available"))
    yield fails("BotAliasAvailable", **alias("dead", "Failed"))


@makes("bedrock-agentcore-control")
def memories():
    control = client("bedrock-agentcore-control")
    for name, status, expected in (("good", "ACTIVE", ok), ("bad", "FAILED", fails)):
        identifier = control.create_memory(name=name, eventExpiryDuration=30)["memory"]["id"]
        poke("bedrock-agentcore-control", "Memory", identifier, status=status)
        yield expected("MemoryCreated", memoryId=identifier)
