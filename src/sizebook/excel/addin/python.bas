' The way to Python: one COM object for the session, made by the library of xlwings.
Option Explicit
Option Private Module

#If Win64 Then
    Private {declaration_64}
#Else
    Private {declaration_32}
#End If
Private Declare PtrSafe Function LoadLibraryW Lib "kernel32" (ByVal path As LongPtr) As LongPtr

' The number of an error whose text already says what is wrong in words.
Public Const IN_WORDS As Long = -2147220991
Private Const SECONDS_BEFORE_ANOTHER_START As Long = 60
' What COM answers when the Python behind the object has ended.
Private Const RPC_UNAVAILABLE As Long = -2147023174
Private Const RPC_DISCONNECTED As Long = -2147417848
Private Const NO_SERVER As Long = 462

Private python_object As Object
Private failed_start As String
Private failed_at As Date

Public Function CallPython(ByVal name As String, ByVal given As Variant) As Variant
    Dim number As Long, text As String
    On Error Resume Next
    CallPython = Python().CallUDF(Setting("module"), name, given)
    number = Err.Number
    text = Err.Description
    On Error GoTo 0
    If number = RPC_UNAVAILABLE Or number = RPC_DISCONNECTED Or number = NO_SERVER Then
        ForgetPython
        CallPython = Python().CallUDF(Setting("module"), name, given)
    ElseIf number <> 0 Then
        Err.Raise number, "sizebook", text
    End If
End Function

Public Sub ForgetPython()
    Set python_object = Nothing
    failed_start = ""
    ForgetCaller
End Sub

' A start that failed is not tried again for every cell: a full sheet would hold Excel for hours.
Private Function Python() As Object
    Dim started As Variant
    If python_object Is Nothing Then
        If failed_start <> "" And DateDiff("s", failed_at, Now) < SECONDS_BEFORE_ANOTHER_START Then
            Err.Raise IN_WORDS, "sizebook", failed_start
        End If
        failed_start = LibraryCause()
        If failed_start = "" Then
            If XLPyDLLActivateAuto(started, StartCommand(), 1) <> 0 Then failed_start = Said("start", CStr(started))
        End If
        If failed_start <> "" Then
            failed_at = Now
            Err.Raise IN_WORDS, "sizebook", failed_start
        End If
        Set python_object = started
    End If
    Set Python = python_object
End Function

' -P: a module beside the workbook must not take the place of Python's own.
Private Function StartCommand() As String
    StartCommand = "cmd.exe /K """"" & Setting("interpreter") & """ -P -B -c " & _
        """import xlwings; xlwings.serve('$(CLSID)')"""""
End Function

Public Function LibraryPath(ByVal of_this_excel As Boolean) As String
    #If Win64 Then
        LibraryPath = Setting(IIf(of_this_excel, "library_64", "library_32"))
    #Else
        LibraryPath = Setting(IIf(of_this_excel, "library_32", "library_64"))
    #End If
End Function

' Loads the library from where it was found: Excel looks for its bare name beside itself only.
Public Function LibraryCause() As String
    Dim number As Long
    If LoadLibraryW(StrPtr(LibraryPath(True))) <> 0 Then Exit Function
    number = Err.LastDllError
    Select Case number
        Case 2, 3, 126: LibraryCause = Said("antivirus", LibraryPath(True))
        Case 193: LibraryCause = Said("bitness", LibraryPath(True))
        Case 5, 225, 577, 1260: LibraryCause = Said("blocked", LibraryPath(True) & ", error " & number)
        Case Else: LibraryCause = Said("load", LibraryPath(True) & ", error " & number)
    End Select
End Function
